const Queue = require('../lib/queue.js');
const { Log } = require('../lib/queue');
const read = require('../lib').settings.read;

const log = Log.silent();
//              ^ -> lib/queue.js Log.silent
log.write('x');
//  ^ -> lib/queue.js Log.write
new Log('y').format('z');
//  ^ -> lib/queue.js Log
//           ^ -> lib/queue.js Log.format
Queue.of(1, 2).push(3);
//    ^ -> lib/queue.js Queue.of
//             ^ -> lib/queue.js Queue.push
