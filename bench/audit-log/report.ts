import { markdownTable } from '../page/markdown-table.ts'

/** What a run of `npm run bench:audit` found: medians of the rounds, in requests a second. */
export interface AuditFigures {
  connections: number
  rounds: number
  secondsEach: number
  operations: readonly { name: string; onePartner: number; manyPartners: number }[]
  readsPerCommit: number
}

/** The aims. */
const [leastRatio, leastReadsPerCommit] = [0.95, 10]

/** The section about the audit log. */
export function reportAudit({ connections, rounds, secondsEach, operations, readsPerCommit }: AuditFigures): string {
  const verdict = (isMet: boolean) => (isMet ? 'met' : 'missed')
  return `Every change and every read of a customer has an entry in the audit log. One partner's requests never wait for each other: with ${connections} connections, one partner is as fast as ${connections}. The figures are medians of ${rounds} rounds of ${secondsEach} s.

${markdownTable(
  ['operation', 'one partner', `${connections} partners`, 'ratio', `aim: at least ${leastRatio}`],
  operations.map(({ name, onePartner, manyPartners }) => {
    const ratio = onePartner / manyPartners
    const rates = [onePartner, manyPartners].map((rate) => `${Math.round(rate).toLocaleString('en-GB')}/s`)
    return [name, ...rates, ratio.toFixed(2), verdict(ratio >= leastRatio)]
  }),
)}

One commit recorded ${readsPerCommit.toFixed(1)} reads on average. The aim of at least ${leastReadsPerCommit} is ${verdict(readsPerCommit >= leastReadsPerCommit)}.`
}
