/** What the page shows of a basket. */
export interface CartLine {
  title: string
  cents: number
}

export function formatPrice(cents: number): string {
  return `${(cents / 100).toFixed(2)} €`
}

export function renderCart(lines: CartLine[]): string {
  return lines.map((line) => `${line.title}: ${formatPrice(line.cents)}`).join("\n")
}
