'use strict';
const EventEmitter = require('events');
const { clamp, mean: average } = require('./math');
//      ^ unresolved

class Queue extends EventEmitter {
//                  ^ external
  static of(...items) {
    const made = new Queue();
//                   ^ -> Queue
    made.items = items;
    return made;
  }

  constructor() {
    super();
    this.items = [];
    this.log = new Log('queue');
//                 ^ -> Log
  }

  push(item) {
    this.items.push(clamp(item));
//                  ^ -> lib/math.js clamp
    this.log.write(average([item]));
//           ^ -> Log.write
//                 ^ -> lib/math.js mean
    this.emit('push');
//       ^ external
    return this;
  }

  get size() {
    return this.items.length;
  }
}

function Log(name) {
  this.name = name;
}

Log.write = function (text) {
  return this.format(text);
//            ^ -> Log.format
};

Log.format = function (text) {
  return `${this.name} ${text}`;
};

Log.silent = function () {
  return new Log('');
};

module.exports = Queue;
//               ^ -> Queue
module.exports.Log = Log;
