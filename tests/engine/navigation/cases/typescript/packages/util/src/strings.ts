export function slug(text: string): string {
  return text.trim();
//            ^ external
}

const table = { get(key: string) { return slug(key); } };
//                                        ^ -> slug
export { slug as slugify };

export function lookup(): string {
  return table.get('x');
//             ^ -> table.get
}
