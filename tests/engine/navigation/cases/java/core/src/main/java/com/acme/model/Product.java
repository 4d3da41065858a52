package com.acme.model;

public class Product {
  public int price() { return 1; }
  public int price(int discount) { return discount; }
}
