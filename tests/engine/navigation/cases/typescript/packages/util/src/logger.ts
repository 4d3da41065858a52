export default class Logger {
  log(message: string): void {}
  child(): Logger { return new Logger(); }
//         ^ -> Logger
}
