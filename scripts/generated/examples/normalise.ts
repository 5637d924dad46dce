import type { Recording } from './recorder.ts'

/** Values of a recording that a real journey chooses at random or by the clock, and what the examples show instead. */
export interface Substitutions {
  /** Texts and their replacements. */
  texts: Readonly<Record<string, string>>
  /** The moment at which the examples happen. */
  startAt: Date
  /** When the recording began, in real time. */
  recordedAt: Date
}

const ids =
  /\b(address|availability|delivery|entry|event|import|line|mail|partner|person|query|quote|replay|request|tenant|webhook)_([0-9a-hjkmnp-tv-z]{26})\b/g
/** Times that the examples name, which stay as they are also while the recording runs at that time of day. */
const givenTimes = /:(?:00(?:\.000)?|10\.000|59\.999)Z$/
const timestamps = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
const idStart = '01m7w4kmmrf22889'
const wordsOfSecrets: readonly [RegExp, string][] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJzYl9leGFtcGxlIn0.c2lnbmF0dXJl'],
  [/\bsb_[0-9a-f]{24}\b/g, 'sb_7d20c4f19ab35e6081d2f3a4'],
  [/\bsk_[A-Za-z0-9_-]{20,}/g, 'sk_example'],
  [/\bop_[0-9a-f]{24}\b/g, 'op_5f0c1b7e93a24d68b1c05e7f'],
  [/whsec_[A-Za-z0-9+/=]+/g, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  [/_secret_[A-Za-z0-9]+/g, '_secret_example'],
  [/(?<=\/Contracts\/|")\d{4}-\d{4}-\d{4}/g, '4821-7730-9150'],
  [/(\?token=)[\w.~-]+/g, '$1ct_example'],
  [/v1,[A-Za-z0-9+/=]+(?: v1,[A-Za-z0-9+/=]+)*/g, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
]

/**
 * The same recording with made-up values in place of random ones, so that every recording gives the same examples. Ids
 * are numbered in the order in which they occur; real times become times of the example's day.
 */
export function normalise(recording: Recording, { texts, startAt, recordedAt }: Substitutions): Recording {
  // Lists are cut first: what they no longer show must not count.
  let text = JSON.stringify(JSON.parse(JSON.stringify(recording), replaceVolatile))
  for (const [from, to] of Object.entries(texts)) text = text.replaceAll(from, to)
  for (const [pattern, to] of wordsOfSecrets) text = text.replaceAll(pattern, to)

  const known = new Map<string, string>()
  text = text.replaceAll(ids, (id, kind: string) => {
    if (kind === 'address') return id
    const made = known.get(id) ?? `${kind}_${idStart}${String(known.size + 1).padStart(10, '0')}`
    known.set(id, made)
    return made
  })
  const processorIds = new Map<string, string>()
  text = text.replaceAll(/\b(seti|cus|pi|pm)_([A-Za-z0-9]{8,})/g, (id, kind: string) => {
    const made = processorIds.get(id) ?? `${kind}_1Example${String(processorIds.size + 1).padStart(4, '0')}`
    processorIds.set(id, made)
    return made
  })
  text = text.replaceAll(timestamps, (timestamp) => {
    const sinceStart = Date.parse(timestamp) - recordedAt.getTime()
    const days = Math.round(sinceStart / 86_400_000)
    const isGiven = givenTimes.test(timestamp) || timestamp.endsWith(startAt.toISOString().slice(13))
    const isRealTime = Math.abs(sinceStart - days * 86_400_000) < 120_000 && !isGiven
    return isRealTime ? new Date(startAt.getTime() + days * 86_400_000).toISOString() : timestamp
  })
  return JSON.parse(text) as Recording
}

/** Members whose values depend on the run. */
const volatileMembers: Readonly<Record<string, unknown>> = {
  durationMs: 12,
  htmlSha256: '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b',
  pdfSha256: 'd4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35',
  sha256: '4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce',
  base64: 'JVBERi0xLjc=',
  contractNumber: '4821-7730-9150',
  documentHash: '4b227777d4dd1fc61c6f884f48641d02b4d121d3fd328cb08b5531fcacdabf8a',
  challenge: 'HATnnXVpSsOVVhvTI5zamI_vty3_aqkf',
  'webhook-timestamp': '1795166950',
  nextCursor: 'ZXhhbXBsZQ',
  // The key of RFC 7517, appendix A.1.
  kid: 'example-key',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
}

/** Lists that are long in a real journey. The examples show their first two entries. */
const longLists = ['response', 'data', 'availableDates', 'auditLog', 'events', 'deliveries']

function replaceVolatile(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return longLists.includes(name) && typeof value[0] === 'object' ? value.slice(0, 2) : value
  return typeof value === typeof volatileMembers[name] && Object.hasOwn(volatileMembers, name)
    ? volatileMembers[name]
    : value
}
