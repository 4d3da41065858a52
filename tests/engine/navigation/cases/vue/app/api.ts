export interface User {
  id: number
  rename(to: string): void
}

export async function load(id: number): Promise<User> {
  return fetch(id)
  //     ^ external
}

export function format(user: User): string {
  return String(user.id)
  //                 ^ -> id
}
