declare module 'pg/lib/utils.js' {
  /** Converts a value to what the driver sends for it: text, bytes or null. */
  export function prepareValue(value: unknown): string | Buffer | null
}
