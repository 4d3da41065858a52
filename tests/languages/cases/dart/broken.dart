// == a file that is not finished
class Log {
//    ^ def class vis=public end=+4
  void write(String text) {
//     ^ def method scope=Log vis=public end=+2
    print(text);
//  ^ ref call owner=write
  }
}
class Rest {
  void close(
