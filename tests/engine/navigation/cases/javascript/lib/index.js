const Queue = require('./queue');
const math = require('./math');
const settings = {
  depth: 3,
  read(name) {
    return this[name];
  },
};

function create(options) {
  const queue = new Queue();
//                  ^ -> lib/queue.js Queue
  queue.push(1).push(math.total([1, 2]));
//      ^ -> lib/queue.js Queue.push
//              ^ -> lib/queue.js Queue.push
//                        ^ -> lib/math.js sum
  return queue;
}

module.exports = { create, settings, build: create, Log: Queue.Log };
