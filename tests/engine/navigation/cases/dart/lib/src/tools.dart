void log(String text) {
  print(text);
}
