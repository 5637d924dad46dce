import { createHash } from 'node:crypto'
import { idOfUuid } from '../platform/kernel/ids.ts'

const pattern = /^address_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** Whether the text has the form of an addressUid. Any other text needs no lookup. */
export function isAddressUid(text: string): boolean {
  return pattern.test(text)
}

const sampleEpoch = Date.UTC(2026, 0, 1)

/**
 * The addressUid of a sample property. The same key gives the same id on every machine, so ids that a developer wrote
 * down still work after the sandbox database is recreated. The id is a UUIDv7 with a fixed time and a random part taken
 * from a hash of the key.
 */
export function sampleAddressUid(key: string): string {
  const uuid = createHash('sha256').update(`housebill sample property ${key}`).digest().subarray(0, 16)
  uuid.writeUIntBE(sampleEpoch, 0, 6)
  uuid.writeUInt8((uuid.readUInt8(6) & 0x0f) | 0x70, 6)
  uuid.writeUInt8((uuid.readUInt8(8) & 0x3f) | 0x80, 8)
  return idOfUuid('address', uuid)
}
