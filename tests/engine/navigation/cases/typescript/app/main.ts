import * as core from '@core/service';
import { Service as Svc, shared, type Item } from '../core/src/service.js';
//       ^ -> core/src/service.ts Service
import { slug, slugify } from '@acme/util';
import express from 'express';

export function main(items: Item[], cb: () => void) {
  const made = Svc.create(undefined as any);
//                 ^ -> core/src/service.ts Service.create
  made.get('1');
//     ^ -> core/src/service.ts Service.get
  made.start();
//     ^ -> core/src/service.ts Base.start
  shared.get('2');
//       ^ -> core/src/service.ts Service.get
  const other = new core.Service(null!, null!);
//                       ^ -> core/src/service.ts Service
  other.get(slug('x'));
//          ^ -> packages/util/src/strings.ts slug
  slugify('y');
//^ -> packages/util/src/strings.ts slug
  for (const item of items) {
    item.rename('z');
//       ^ -> core/src/service.ts Item.rename
  }
  items.push(items[0]);
//      ^ external
  items[0].rename('w');
//         ^ -> core/src/service.ts Item.rename
  express().listen(1);
//^ external
//          ^ unresolved
  cb();
//^ external
  setTimeout(main, 1);
//^ external
//           ^ -> main
  items.map(one => one.rename('q'));
//                     ^ unresolved
}
