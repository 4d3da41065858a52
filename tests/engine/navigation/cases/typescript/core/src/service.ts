import { Logger } from '@acme/util';
//       ^ -> packages/util/src/logger.ts Logger

export interface Store {
  find(id: string): Promise<Item>;
//                          ^ -> Item
}

export class Item {
  constructor(public readonly id: string) {}
  rename(name: string): this { return this; }
}

export abstract class Base {
  protected readonly logger = new Logger();
  start(): void { this.logger.log('start'); }
//                            ^ -> packages/util/src/logger.ts Logger.log
}

export class Service extends Base {
  constructor(private readonly store: Store, logger: Logger) {
    super();
    logger.child().log('made');
//         ^ -> packages/util/src/logger.ts Logger.child
//                 ^ -> packages/util/src/logger.ts Logger.log
  }

  async get(id: string) {
    this.start();
//       ^ -> Base.start
    const item = await this.store.find(id);
//                                ^ -> Store.find
    item.rename('x').rename('y');
//       ^ -> Item.rename
    super.start();
//        ^ -> Base.start
    return item;
  }

  static create(store: Store): Service { return new Service(store, new Logger()); }
}

export const shared = Service.create(null!);
//                            ^ -> Service.create
