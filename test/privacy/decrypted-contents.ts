import { zstdDecompressSync } from 'node:zlib'
import { composeCipher } from '../../src/app/compose.ts'
import { saveEndRequest } from '../../src/contracts/termination/end-requests.store.ts'
import { listPartners } from '../../src/partners/partners.store.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { inTransaction } from '../../src/platform/db/database.ts'
import type { Databases } from '../../src/platform/db/databases.ts'
import { isoDate } from '../../src/platform/kernel/dates.ts'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { createFileLedger } from '../../src/privacy/erasure-ledger/file.ts'
import type { ErasureLedger } from '../../src/privacy/erasure-ledger.ts'
import { encryptedFields, encryptionRowName, listStaleValues } from '../../src/privacy/keys/encrypted-fields.store.ts'
import { createSeal } from '../../src/sandbox/simulators/payment-processor/seal.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { readDatabaseContents } from '../support/database-contents.ts'
import { openDatabases } from '../support/databases.ts'
import { mailDependencies } from '../support/mail-dependencies.ts'
import { keepPool } from '../support/postgres.ts'
import type { ServiceUnderTest } from '../support/service.ts'

/** Gives access to the service's database, its encryption keys and its ledger of erasures, and to what e-mails are made from. */
export async function withDatabaseKeys<Result>(
  service: ServiceUnderTest,
  work: (
    opened: Awaited<ReturnType<typeof mailDependencies>> & { databases: Databases; erasureLedger: ErasureLedger },
  ) => Promise<Result>,
): Promise<Result> {
  const databases = await openDatabases(service.connectionString)
  const secrets = await loadSecrets(service.environment, 'sandbox', service.config.dataDir)
  const erasureLedger = createFileLedger(service.config.erasureLedger.file)
  const cipher = await composeCipher(databases.system, secrets)
  return work({ ...(await mailDependencies(service, cipher)), databases, erasureLedger })
}

/** Stores that a customer asks for a private end of their contract, as their pages do, with this comment. */
export async function storeEndRequest(service: ServiceUnderTest, customerId: string, comment: string): Promise<void> {
  const [row] = await rawRows(service, 'select partner_id, contract_number from customers where customer_id = $1', [
    customerId,
  ])
  const whose = { partnerId: row?.partner_id as Id<'partner'>, customerId: customerId as Id<'tenant'> }
  await withDatabaseKeys(service, ({ databases, cipher }) =>
    inTransaction(databases.forPartner(whose.partnerId), {}, (tx) =>
      saveEndRequest(tx, cipher, whose, {
        ...{ contractNumber: String(row?.contract_number), cause: 'serious_illness', comment, answer: null },
        ...{ lastDay: isoDate('2099-01-04'), askedAt: new Date(), dueOn: isoDate('2099-01-04'), outcome: null },
      }),
    ),
  )
}

/**
 * The whole contents of a database, by table or encrypted column, as an attacker with the keys would see them: rows as
 * text, encrypted values decrypted, and the sealed data of the simulated processor opened.
 */
export async function readDecryptedContents(
  service: ServiceUnderTest,
  processorKey: string,
): Promise<Map<string, string>> {
  const contents = await readDatabaseContents(service.connectionString)
  await withDatabaseKeys(service, async ({ databases, cipher }) => {
    const partnerIds = (await listPartners(databases.system)).map(({ partnerId }) => partnerId)
    for (const field of encryptedFields) {
      const opened: string[] = []
      for (const partnerId of field.isPartners ? partnerIds : [null]) {
        const db = partnerId === null ? databases.system : databases.forPartner(partnerId)
        const all = await listStaleValues(db, field, partnerId, { keyId: 'none', after: '', limit: 10_000 })
        for (const { id, value } of all) {
          const location = { column: field.location, row: encryptionRowName(field, partnerId, id) }
          const decrypted = cipher.decrypt(value, location)
          const plain = field.isBytes ? zstdDecompressSync(decrypted) : decrypted
          opened.push(plain.toString('latin1'), plain.toString('utf8'))
        }
      }
      contents.set(`${field.location}, decrypted`, opened.join('\n'))
    }
  })
  contents.set('simulated_processor, opened', (await openSealed(service, processorKey)).join('\n'))
  return contents
}

async function openSealed(service: ServiceUnderTest, processorKey: string): Promise<string[]> {
  const seal = createSeal(processorKey)
  // A pool's `end` does not wait until its connections are closed, and a server that stops meanwhile terminates them:
  // only a kept pool handles that.
  const { rows } = await keepPool({ connectionString: service.connectionString }).query<{
    context: string
    sealed: string
  }>(
    `select id as context, personal_sealed as sealed from simulated_processor.customers union all
     select key, response_encrypted from simulated_processor.idempotent_responses
       where response_encrypted is not null`,
  )
  return rows.map(({ context, sealed }) => seal.open(sealed, context))
}

/** The places where any of the words occur, ignoring case. */
export function findOccurrences(contents: Map<string, string>, words: readonly string[]): string[] {
  return [...contents]
    .flatMap(([place, text]) => {
      const lower = text.toLowerCase()
      return words.filter((word) => lower.includes(word.toLowerCase())).map((word) => `${place}: ${word}`)
    })
    .sort()
}
