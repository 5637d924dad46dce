import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { composeCipher } from '../compose/compose.ts'
import type { AuditHead } from '../domain/audit/audit-seals.store.ts'
import { listAuditLog } from '../domain/audit/list-audit-log.ts'
import { readAuditHeads, verifyAuditLog } from '../domain/audit/verify-audit-log.ts'
import { hashOfAddress } from '../kernel/address-hash.ts'
import { CommandError } from '../kernel/command-error.ts'
import { coloured } from './coloured.ts'
import { type JsonOption, printJson } from './json-option.ts'
import { createProgress } from './progress.ts'
import { alignRows } from './table.ts'
import { withDatabase } from './with-database.ts'

export interface ListAuditOptions extends JsonOption {
  customer?: string
  partner?: string
  since?: Date
  limit: number
}

/** The command `audit list`. */
export async function printAuditLog({ customer, partner, since, limit, json }: ListAuditOptions): Promise<void> {
  const filter = { customerId: customer, partnerId: partner, since, limit }
  const entries = await withDatabase('audit list', ({ databases }) => listAuditLog({ databases }, filter))
  if (entries === undefined)
    throw new CommandError(
      'not_found',
      'No customer or partner has this id. Check the id, and make sure that this is the right deployment.',
    )
  if (json) {
    printJson({ entries })
    return
  }
  const rows = entries.map((entry) => [
    entry.at.toISOString(),
    [entry.actor, entry.credential].filter((part) => part !== null).join(' '),
    entry.operation ?? '',
    entry.action,
    `${entry.subjectType} ${entry.subjectId}`,
    entry.fields.join(', '),
    entry.requestId ?? '',
  ])
  console.log(alignRows([['AT', 'WHO', 'OPERATION', 'DID', 'WHAT', 'FIELDS', 'REQUEST'], ...rows]))
}

/** The command `audit head`. */
export async function printAuditHeads({ json }: JsonOption): Promise<void> {
  const heads = await withDatabase('audit head', ({ databases }) => readAuditHeads({ databases }))
  if (json) printJson({ heads })
  else
    for (const { partnerId, sealNumber, hash, lastEntryAt } of heads)
      console.log([partnerId, sealNumber, hash, lastEntryAt?.toISOString()].join(' '))
}

export interface VerifyAuditOptions extends JsonOption {
  head?: string
}

/** The command `audit verify`. The exit code is 1 if anything does not match. */
export async function verifyAudit({ head, json }: VerifyAuditOptions): Promise<void> {
  const kept = head === undefined ? [] : readHeads(head, await readHeadFile(head))
  const progress = createProgress('entries')
  const results = await withDatabase('audit verify', ({ databases }) =>
    verifyAuditLog({ databases }, kept, json ? undefined : progress.update),
  ).finally(progress.clear)
  const isSound = results.every(({ problems }) => problems.length === 0)
  if (json) printJson({ isSound, partners: results })
  else {
    const rows = results.map((each) =>
      [
        each.partnerId,
        each.seals,
        each.sealedEntries,
        each.unsealedEntries,
        each.verifiedFrom?.toISOString() ?? 'nothing',
      ].map(String),
    )
    console.log(alignRows([['PARTNER', 'SEALS', 'SEALED', 'NOT SEALED YET', 'VERIFIED FROM'], ...rows]))
    for (const { partnerId, problems } of results)
      for (const problem of problems) console.error(`${partnerId}: ${problem}`)
    console.log(
      isSound ? coloured('good', 'The audit log matches its seals.') : coloured('bad', 'The audit log was changed.'),
    )
  }
  if (!isSound) process.exitCode = 1
}

async function readHeadFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      'invalid_request',
      `${path} cannot be read (${error.code}). Name a file that audit head has written.`,
    )
  })
}

/** Throws CommandError if a line has another form. */
function readHeads(path: string, text: string): AuditHead[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      const [, partnerId, sealNumber, hash, time] =
        /^(\S+) (\d+) ([0-9a-f]{64})(?: (\d{4}-\d\d-\d\dT\S+Z))?$/.exec(line.trim()) ?? []
      if (partnerId === undefined || sealNumber === undefined || hash === undefined)
        throw new CommandError(
          'invalid_request',
          `Line ${index + 1} of ${path} is not what audit head prints: a partner, a number, a hash and a time (without --json).`,
        )
      return {
        partnerId,
        sealNumber: Number(sealNumber),
        hash,
        lastEntryAt: time === undefined ? undefined : new Date(time),
      }
    })
}

/** The command `audit address-hash`. */
export async function printAddressHash(address: string, { json }: JsonOption): Promise<void> {
  if (isIP(address) === 0)
    throw new CommandError('invalid_request', 'This is not an IP address. Write it as 192.0.2.7 or 2001:db8::7.')
  const cipher = await withDatabase('audit address-hash', ({ databases, secrets }) =>
    composeCipher(databases.system, secrets),
  )
  const addressHash = hashOfAddress((text) => cipher.hash(text), address.toLowerCase())
  if (json) printJson({ addressHash })
  else console.log(addressHash)
}
