const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** A duration in whole hours: a day is "24 hours". */
export function inHours(seconds: number): string {
  return `${seconds / 3_600} hours`
}

/** A duration in words, rounded to the largest unit that fits: 272,105 seconds are "3 days". */
export function timeInWords(seconds: number): string {
  const [name, length] = units.find((unit) => seconds >= unit[1]) ?? ['second', 1]
  const count = Math.round(seconds / length)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
