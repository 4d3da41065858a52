const { exec } = require("child_process");

// Old ways of a parcel.
function* parcelSteps(count) {
  let step = 0;
  while (step < count) {
    step += 1;
    yield step;
  }
}

function runParcel(req, res) {
  const wanted = req.query.parcel;
  exec("pack " + wanted);
  res.end("parcel");
}

module.exports = { parcelSteps, runParcel };
