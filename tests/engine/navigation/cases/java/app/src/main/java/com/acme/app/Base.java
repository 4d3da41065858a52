package com.acme.app;

abstract class Base {
  void setUp() {}
  void tearDown() {}
  Session open() { return new Session(); }

  static class Session implements AutoCloseable {
//                                ^ external
    public void close() {}
  }
}
