import { create, build, settings } from '../lib/index.js';
//       ^ -> lib/index.js create
import Store, { open as openStore } from '@demo/store';
//              ^ -> packages/store/index.js open
import express from 'express';

const app = express();
//          ^ external

export async function main() {
  const queue = create({});
//              ^ -> lib/index.js create
  queue.push(2);
//      ^ -> lib/queue.js Queue.push
  build().push(3);
//^ -> lib/index.js create
//        ^ -> lib/queue.js Queue.push
  settings.read('depth');
//         ^ -> lib/index.js settings.read
  const store = new Store();
//                  ^ -> packages/store/index.js Store
  await store.save(queue);
//            ^ -> packages/store/index.js Store.save
  openStore('x').save(null);
//^ -> packages/store/index.js open
//               ^ -> packages/store/index.js Store.save
  app.get('/', (req, res) => res.send(queue.size));
//    ^ unresolved
//                               ^ unresolved
//                                          ^ -> lib/queue.js Queue.size
  return helper(queue);
//       ^ -> helper
}

const helper = (one) => one;
