export function round(value) {
  return half(value)
  //     ^ -> half
}

function half(value) {
  return value
}
