package com.acme.app;

class Repository<T> {
  T find(long id) { return null; }
  int size() { return find(0).hashCode(); }
//                    ^ -> Repository.find
//                            ^ unresolved
}
