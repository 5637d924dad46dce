import { createHash } from 'node:crypto'
import { TypeID } from 'typeid-js'

const pattern = /^address_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** Whether the text could be an addressUid of ours: anything else need not be looked for. */
export function isAddressUid(text: string): boolean {
  return pattern.test(text)
}

const sampleEpoch = Date.UTC(2026, 0, 1)

/**
 * The addressUid of an invented property: the same for the same key on every machine, so that what a developer has
 * written down still works after the sandbox's database was made anew. A UUIDv7 of a fixed instant, its random part
 * taken from a hash of the key.
 */
export function sampleAddressUid(key: string): string {
  const uuid = createHash('sha256').update(`housebill sample property ${key}`).digest().subarray(0, 16)
  uuid.writeUIntBE(sampleEpoch, 0, 6)
  uuid.writeUInt8((uuid.readUInt8(6) & 0x0f) | 0x70, 6)
  uuid.writeUInt8((uuid.readUInt8(8) & 0x3f) | 0x80, 8)
  return TypeID.fromUUIDBytes('address', uuid).toString()
}
