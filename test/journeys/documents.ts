import assert from 'node:assert/strict'
import type { DocumentFormat } from '../../src/domain/contracts/document-format.ts'
import { htmlText } from '../contracts/html-text.ts'
import { readPdf } from '../contracts/pdf-contents.ts'
import type { Partner } from '../support/client.ts'
import { succeeded } from '../support/responses.ts'

/** A tenant's contract as its two forms say it, without white space. */
export interface ContractTexts {
  html: string
  pdf: string
}

/** Follows both contract URLs of a tenant who has accepted the terms, and reads what is behind them. */
export async function readContracts(partner: Partner, customerId: string): Promise<ContractTexts> {
  const open = async (format: DocumentFormat): Promise<Buffer> => {
    const { contractUrl } = succeeded(await partner.get(`/Customers/${customerId}/pci-contract-url-${format}`))
    const answer = await fetch(contractUrl)
    assert.equal(answer.status, 200)
    return Buffer.from(await answer.arrayBuffer())
  }
  const [html, pdf] = await Promise.all([open('html'), open('pdf')])
  return textsOf(html, pdf)
}

export async function textsOf(html: Buffer, pdf: Buffer): Promise<ContractTexts> {
  const { pages } = await readPdf(pdf)
  return { html: squeezed(htmlText(html)), pdf: squeezed(pages.map(({ text }) => text).join('')) }
}

export function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** Pence as the documents write them: £1,234.56. */
export function pounds(pence: number): string {
  return `£${(pence / 100).toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
}

/** A day as the documents write it: 4 January 2028. */
export function inWords(date: string): string {
  return new Date(`${date}T12:00:00Z`).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
}

/** As much of a cost object as the documents show. */
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

/** Every row of figures that both forms of a contract have to hold, without white space. */
export function contractRows(
  parties: readonly { lines: readonly ShownCost[]; total: ShownCost }[],
  payments: readonly ShownPayment[],
): string[] {
  const row = (name: string, amounts: readonly number[]) => squeezed(name + amounts.map(pounds).join(''))
  const ofParties = parties.flatMap(({ lines, total }) =>
    [...lines, { ...total, name: 'Total' }].flatMap((cost) => {
      const { name = '' } = cost
      const whole = row(name, [cost.totalNet, cost.totalVat, cost.totalCost])
      const periods = row(name, [cost.weeklyCost, cost.monthlyCost, cost.yearlyCost])
      return cost.setupCost > 0
        ? [whole, periods, row(name, [cost.setupNet, cost.setupVat, cost.setupCost])]
        : [whole, periods]
    }),
  )
  const paid = payments.reduce((sum, { amount }) => sum + amount, 0)
  return [
    ...ofParties,
    ...payments.map(({ date, description, amount }) => row(inWords(date) + description, [amount])),
    row(payments.length === 1 ? 'TotalOne payment' : `Total${payments.length} payments`, [paid]),
  ]
}

/** Fails where a form of the contract lacks one of the rows. */
export function assertHolds(texts: ContractTexts, rows: readonly string[]): void {
  for (const row of rows) {
    assert.ok(texts.html.includes(row), `the HTML form does not hold ${row}`)
    assert.ok(texts.pdf.includes(row), `the PDF form does not hold ${row}`)
  }
}
