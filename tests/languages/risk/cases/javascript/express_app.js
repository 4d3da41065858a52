const { exec, execFile: run } = require("child_process");
const fs = require("fs");
const crypto = require("crypto");
const express = require("express");
const jwt = require("jsonwebtoken");
const mysql = require("mysql2");

const app = express();
const db = mysql.createConnection({});

// == destructuring and a shell
app.get("/ping", (req, res) => {
  const { host, count: n } = req.query;
//                               ^ source req.query
  exec("ping " + host);
  // <- flow req.query->exec
  run("ping", [n]);
  // <- flow req.query->spawn
});

// == template strings
app.get("/user", async (req, res) => {
  const id = req.params.id;
  const rows = await db.query(`select * from users where id = ${id}`);
//                      ^ flow req.query->sql.query
  res.send(`<b>${id}</b>`);
//    ^ flow req.query->response.html
});

// == parameters of a statement are harmless
app.get("/bound", (req, res) => {
  db.query("select * from users where id = ?", [req.params.id]);
//   ^ clean
});

// == sanitizers
app.get("/clean", (req, res) => {
  const id = parseInt(req.query.id, 10);
  db.query("select " + id);
//   ^ clean
  res.send(encodeURIComponent(req.query.name));
//    ^ clean
});

// == given anew
function again(req) {
  let file = req.query.file;
  file = "index.html";
  fs.readFile(file, done);
//   ^ clean
}

// == one way only
function oneWay(req, flag) {
  let file = "index.html";
  if (flag) {
    file = req.query.file;
  }
  fs.readFile(file, done);
//   ^ flow req.query->file.read
}

// == both ways
function bothWays(req, flag) {
  let file = req.query.file;
  if (flag) {
    file = "a";
  } else {
    file = "b";
  }
  fs.readFile(file, done);
//   ^ clean
}

// == an early return
function early(req, flag) {
  let file = "a";
  if (flag) {
    file = req.query.file;
    return file;
  }
  fs.readFile(file, done);
//   ^ clean
}

// == the document
function shown() {
  const hash = location.hash;
//                      ^ source location
  document.getElementById("x").innerHTML = hash;
//                             ^ flow location->innerHTML
  document.write(document.referrer);
//         ^ flow location->innerHTML
  window.location = hash;
//       ^ flow location->redirect
}

// == callbacks are given the items
app.post("/all", (req, res) => {
  req.body.commands.forEach((line) => exec(line));
//                                    ^ flow req.body->exec
  for (const line of req.body.commands) {
    eval(line);
//  ^ flow req.body->eval
  }
});

// == what a callback is given by a query
app.get("/rows", (req, res) => {
  db.query("select 1", (error, rows) => {
    res.send(rows);
//      ^ clean
  });
});

// == fields of the object
class Job {
  start(req) {
    this.line = req.body.line;
    exec(this.line);
//  ^ flow req.body->exec
  }
}

// == one call deep
function remove(name) {
  exec("rm " + name);
  // <- flow req.query->exec
}
app.get("/remove", (req, res) => {
  remove(req.query.name);
});

// == what a function gives
function asked(req) {
  return req.query.q;
}
function asking(req) {
  eval(asked(req));
  // <- flow req.query->eval
}

// == comparisons and conditions
function compared(req) {
  const flag = req.query.a === "x";
  exec("echo " + flag);
  // <- clean
  const word = req.query.a ? "y" : "n";
  exec("echo " + word);
  // <- clean
}

// == other machines and places to go
app.get("/go", (req, res) => {
  fetch("http://" + req.query.host);
  // <- flow req.query->http.request
  res.redirect(req.query.next);
//    ^ flow req.query->redirect
  res.sendFile(req.query.file);
//    ^ flow req.query->file.send
});

// == queries written as objects
function where(req, users) {
  users.find({ $where: "this.name == '" + req.body.name + "'" });
//             ^ flow req.body->nosql.where
}

// == places that are findings by themselves
function places(data) {
  crypto.createHash("md5");
//       ^ finding hash.weak
  crypto.createHash("sha256");
//       ^ none
  const token = Math.random();
//                   ^ finding random.weak
  const wait = Math.random();
//                  ^ none
  connect({ rejectUnauthorized: false });
//          ^ finding tls.verify
  connect({ rejectUnauthorized: true });
//          ^ none
  jwt.sign(data, "s3cret-key");
//    ^ finding secret.literal
}

// == secrets in the source
const apiKey = "9f8e7d6c5b4a";
//    ^ finding secret.literal
const password = process.env.PASSWORD;
//    ^ none

// == regular expressions and names of one's own
function own(req) {
  const found = /x/.exec(req.query.q);
//                  ^ none
  new RegExp(req.query.q);
//    ^ flow req.query->regex
}

// == environment and arguments
function machine() {
  exec(process.argv[2]);
  // <- flow argv->exec
  exec(process.env.EDITOR);
  // <- flow env->exec
}
