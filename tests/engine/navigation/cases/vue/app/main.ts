import Avatar from "./Avatar.vue"
//     ^ -> app/Avatar.vue default
import { LIMIT } from "./UserCard.vue"
//       ^ -> app/UserCard.vue LIMIT
import { store } from "../shared/Panel.svelte"
//       ^ -> shared/Panel.svelte store
import { format } from "./api"

export function start() {
  mount(Avatar, LIMIT)
  //    ^ -> app/Avatar.vue default
  //            ^ -> app/UserCard.vue LIMIT
  return format(store)
  //     ^ -> app/api.ts format
  //            ^ -> shared/Panel.svelte store
}
