import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertContains, contractRows, extractContractTexts } from '../journeys/documents.ts'
import { connectPartner } from '../support/client.ts'
import { type HouseholdOptions, onboard, startHousehold } from '../support/household.ts'
import { type ContractRecord, connectOperator, followFeed } from '../support/operator.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const operator = await connectOperator(service)

/** Waits until the contracts of these customers are in force in the feed, and returns their records. */
async function recordsOf(customers: readonly string[]): Promise<ContractRecord[]> {
  const { entries } = await waitFor(
    'every contract is in the feed',
    () => followFeed(operator),
    (read) =>
      customers.every((id) => read.entries.some((each) => each.record.customerId === id && each.change === 'in_force')),
  )
  return customers.map((id) => {
    const entry = entries.find(({ record }) => record.customerId === id)
    assert.ok(entry)
    return entry.record
  })
}

/** The documents of a contract as text without white space. */
async function textsOf(number: string) {
  const { documents } = succeeded(
    await operator.get<{ documents: { format: string; content: string }[] }>(`/Contracts/${number}/documents`),
  )
  const bytesOf = (format: string) =>
    Buffer.from(documents.find((each) => each.format === format)?.content ?? '', 'base64')
  return extractContractTexts(bytesOf('html'), bytesOf('pdf'))
}

const households: readonly (HouseholdOptions & { tenants: number })[] = [
  { tenants: 1 },
  { tenants: 3, packages: ['electricity', 'gas', 'broadband'], products: ['fibre-67'] },
  { tenants: 4, contractStartDate: '2027-02-14', contractEndDate: '2027-09-30' },
]

for (const options of households) {
  test(`the record, the files, the API and the documents of ${options.tenants} tenants state the same figures`, async () => {
    const { tenants } = await startHousehold(partner, options)
    for (const tenant of tenants) await onboard(partner, tenant)
    for (const { contractNumber, customerId, cost, person, services } of await recordsOf(tenants)) {
      assert.ok(cost !== null && person !== null)
      const { plan } = person

      assertContains(await textsOf(contractNumber), contractRows([{ lines: services, total: cost }], plan))

      const customer = succeeded(await partner.get(`/Customers/${customerId}/total-cost`))
      assert.deepEqual([customer.totalCost, customer.monthlyCost], [cost.totalCost, cost.monthlyCost])

      const contracts = succeeded(await operator.get<Record<string, unknown>[]>('/Contracts/export?format=json'))
      const line = contracts.find((each) => each.contractNumber === contractNumber)
      for (const figure of ['monthlyCost', 'totalCost', 'totalNet', 'totalVat'] as const)
        assert.equal(line?.[figure], cost[figure], figure)

      const payments = succeeded(await operator.get<Record<string, unknown>[]>('/Payments/export?format=json'))
      assert.deepEqual(
        payments
          .filter((each) => each.contractNumber === contractNumber)
          .map(({ dueDate, amount }) => [dueDate, amount]),
        plan.map(({ date, amount }) => [date, amount]),
      )
    }
  })
}
