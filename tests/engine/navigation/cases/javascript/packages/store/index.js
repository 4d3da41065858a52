export default class Store {
  #path = '';
  save(value) {
    return this.#write(value);
//              ^ -> Store.#write
  }
  #write(value) {
    return JSON.stringify(value);
//              ^ external
  }
}

export function open(path) {
  return new Store(path);
//           ^ -> Store
}
