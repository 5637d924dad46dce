import type { Pool } from 'pg'
import { newContractNumber } from '../../src/domain/contracts/contract-number.ts'
import type { FieldCipher } from '../../src/kernel/field-encryption.ts'
import { newId } from '../../src/kernel/ids.ts'

interface Template {
  quoteId: string
  customerId: string
  contractNumber: string
  agreement: string
  personal: string
}

const batchSize = 2_000

/**
 * Copies the only contract in force until there are `count`, each with its own household, ids and encryption, as if it had been sold. Skips
 * triggers and foreign keys, because the rows that they check are copied too.
 */
export async function copyContract(pool: Pool, cipher: FieldCipher, count: number): Promise<void> {
  const { rows } = await pool.query<Template>(`
    select q.quote_id as "quoteId", c.customer_id as "customerId", k.contract_number as "contractNumber",
           k.agreement_encrypted as agreement, c.personal_encrypted as personal
      from contracts k join customers c using (customer_id) join quotes q on q.quote_id = k.quote_id where k.status = 'in_force'`)
  const [template] = rows
  if (template === undefined) throw new Error('there is no contract to copy')
  const decrypt = (text: string, column: string, row: string) => cipher.decrypt(text, { column, row }).toString('utf8')
  const agreement = decrypt(template.agreement, 'contracts.agreement', template.contractNumber)
  const personal = decrypt(template.personal, 'customers.personal', template.customerId)
  const client = await pool.connect()
  try {
    await client.query(
      'set session_replication_role = replica; set synchronous_commit = off; set statement_timeout = 0',
    )
    // Among a million random numbers, some are equal.
    const taken = new Set<string>()
    const nextNumber = () => {
      for (let number = newContractNumber(); ; number = newContractNumber()) {
        if (taken.has(number)) continue
        taken.add(number)
        return number
      }
    }
    for (let made = 1; made < count; ) {
      const copies = Array.from({ length: Math.min(batchSize, count - made) }, () => {
        const [quote, customer, number] = [newId('quote'), newId('tenant'), nextNumber()]
        return {
          quote,
          customer,
          number,
          agreement: cipher.encrypt(agreement, { column: 'contracts.agreement', row: number }),
          personal: cipher.encrypt(personal, { column: 'customers.personal', row: customer }),
        }
      })
      const given = JSON.stringify(copies)
      const from = `jsonb_to_recordset($1) as n (quote text, customer text, number text, agreement text, personal text)`
      await client.query('begin')
      await client.query(
        `insert into quotes select (jsonb_populate_record(t, jsonb_build_object('quote_id', n.quote))).*
           from quotes t, ${from} where t.quote_id = $2`,
        [given, template.quoteId],
      )
      await client.query(
        `insert into customers select (jsonb_populate_record(t, jsonb_build_object('customer_id', n.customer, 'quote_id', n.quote,
             'personal_encrypted', n.personal, 'contract_number', n.number))).*
           from customers t, ${from} where t.customer_id = $2`,
        [given, template.customerId],
      )
      await client.query(
        `insert into contracts select (jsonb_populate_record(t, jsonb_build_object('contract_number', n.number, 'customer_id', n.customer,
             'quote_id', n.quote, 'agreement_encrypted', n.agreement, 'evidence_encrypted', null))).*
           from contracts t, ${from} where t.contract_number = $2`,
        [given, template.contractNumber],
      )
      await client.query(
        `insert into contract_versions (contract_number, version, partner_id, change, transaction_id)
         select k.contract_number, 1, k.partner_id, 'in_force', '1' from ${from} join contracts k on k.contract_number = n.number`,
        [given],
      )
      await client.query('commit')
      made += copies.length
    }
    await client.query('vacuum analyze quotes, customers, contracts, contract_versions')
  } finally {
    client.release(true)
  }
}
