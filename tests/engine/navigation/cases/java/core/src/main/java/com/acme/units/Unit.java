package com.acme.units;

public class Unit {
  public static final int SCALE = 2;

  public static int scale(int value) { return value * SCALE; }

  public static class Parts {
    public static int half(int value) { return value / 2; }
  }

  public enum Side { LEFT, RIGHT }
}
