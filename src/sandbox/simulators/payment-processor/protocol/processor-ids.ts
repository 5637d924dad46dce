import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The kinds of object that have a processor id. */
export type ProcessorIdKind = 'cus' | 'seti' | 'setatt' | 'pi' | 'pm' | 'ch' | 're' | 'dp' | 'evt' | 'req'

/** A new processor id: the kind, an underscore, and letters and digits, e.g. `seti_3Xk…`. */
export function newProcessorId(kind: ProcessorIdKind): string {
  return `${kind}_${base62(randomBytes(18))}`
}

/** Letters and digits only, as the processor's browser library expects of keys, ids and secrets. */
export function base62(bytes: Buffer): string {
  let number = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  while (number > 0n) {
    text = (alphabet[Number(number % 62n)] ?? '') + text
    number /= 62n
  }
  return text
}
