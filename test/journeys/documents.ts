import assert from 'node:assert/strict'
import type { DocumentFormat } from '../../src/contracts/document-renderer.ts'
import { htmlText } from '../contracts/html-text.ts'
import { readPdf } from '../contracts/pdf-contents.ts'
import type { Partner } from '../support/client.ts'
import { succeeded } from '../support/responses.ts'

/** The text of a tenant's contract in both forms, HTML and PDF, without white space. */
export interface ContractTexts {
  html: string
  pdf: string
}

/** Opens both contract URLs of a tenant who has accepted the terms, and returns their text. */
export async function readContracts(partner: Partner, customerId: string): Promise<ContractTexts> {
  const open = async (format: DocumentFormat): Promise<Buffer> => {
    const { contractUrl } = succeeded(await partner.get(`/Customers/${customerId}/pci-contract-url-${format}`))
    const response = await fetch(contractUrl)
    assert.equal(response.status, 200)
    return Buffer.from(await response.arrayBuffer())
  }
  const [html, pdf] = await Promise.all([open('html'), open('pdf')])
  return extractContractTexts(html, pdf)
}

export async function extractContractTexts(html: Buffer, pdf: Buffer): Promise<ContractTexts> {
  const { pages } = await readPdf(pdf)
  return { html: withoutWhiteSpace(htmlText(html)), pdf: withoutWhiteSpace(pages.map(({ text }) => text).join('')) }
}

export function withoutWhiteSpace(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** Formats pence as the documents do: £1,234.56. */
function formatPounds(pence: number): string {
  return `£${(pence / 100).toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
}

/** Formats a date as the documents do: 4 January 2028. */
export function formatDate(date: string): string {
  return new Date(`${date}T12:00:00Z`).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
}

/** The fields of a cost object that the documents show. */
export interface ShownCost {
  name?: string
  weeklyCost: number
  monthlyCost: number
  yearlyCost: number
  totalCost: number
  totalNet: number
  totalVat: number
  setupCost: number
  setupNet: number
  setupVat: number
}

export interface ShownPayment {
  date: string
  amount: number
  description: string
}

/**
 * Every row of figures that the HTML and the PDF of a contract must both contain: of the tenant, then of the household
 * if it has more tenants. White space has been removed from the rows.
 */
export function contractRows(
  [own, household]: readonly { lines: readonly ShownCost[]; total: ShownCost }[],
  payments: readonly ShownPayment[],
): string[] {
  const row = (name: string, amounts: readonly number[]) => withoutWhiteSpace(name + amounts.map(formatPounds).join(''))
  const costsOf = (party: typeof own) => (party ? [...party.lines, { ...party.total, name: 'Total' }] : [])
  const ofParties = [
    ...costsOf(own).flatMap(({ name = '', ...cost }) => [
      row(name, [cost.totalNet, cost.totalVat, cost.totalCost]),
      row(name, [cost.weeklyCost, cost.monthlyCost, cost.yearlyCost]),
    ]),
    ...(own?.lines ?? [])
      .filter(({ setupCost }) => setupCost > 0)
      .map((cost) => row('of which set-up, paid once', [cost.setupNet, cost.setupVat, cost.setupCost])),
    ...costsOf(household).map(({ name = '', ...cost }) => row(name, [cost.monthlyCost, cost.totalCost])),
  ]
  const paid = payments.reduce((sum, { amount }) => sum + amount, 0)
  return [
    ...ofParties,
    ...payments.map(({ date, description, amount }) => row(formatDate(date) + description, [amount])),
    row(payments.length === 1 ? 'TotalOne payment' : `Total${payments.length} payments`, [paid]),
  ]
}

/** Fails if either form of the contract lacks one of the rows. */
export function assertContains(texts: ContractTexts, rows: readonly string[]): void {
  for (const row of rows) {
    assert.ok(texts.html.includes(row), `the HTML form does not contain ${row}`)
    assert.ok(texts.pdf.includes(row), `the PDF form does not contain ${row}`)
  }
}
