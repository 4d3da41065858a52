import { Client } from "./client";

export interface ParcelLike {
  parcelCode: string;
}

export class Cart extends Basket implements ParcelLike {
  parcelCode = "none";
  private total = 0;

  constructor(private client: Client) {
    super();
  }

  // Adds a parcel to what is already here.
  public addParcel(parcel: ParcelLike, amount: number): number {
    this.total += amount;
    for (let step = 0; step < amount; step++) {
      if (step > 3) {
        break;
      }
    }
    return this.total;
  }

  async sendParcel(target: string): Promise<void> {
    await this.client.post(target);
  }

  protected reset(): void {
    this.total = 0;
    console.log("parcel reset");
  }
}
