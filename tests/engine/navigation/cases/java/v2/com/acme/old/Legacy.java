package com.acme.old;

public class Legacy {
  public static void boot() { Legacy.boot(); }
//                            ^ -> Legacy
}
