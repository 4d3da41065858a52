package com.acme.util;

import java.util.function.Supplier;

public final class Checks {
  public static final String EMPTY = "";

  private Checks() {}

  public static <T> T notNull(T value) { return value; }

  public static String text(Supplier<String> source) {
    return source.get();
//                ^ external
  }
}
