import { buildContractDocument } from '../../src/contracts/build-document.ts'
import type { ContractFacts } from '../../src/contracts/contract-facts.ts'
import type { ContractDocument } from '../../src/contracts/document.ts'
import { documentFormats, type RenderedContract } from '../../src/contracts/document-renderer.ts'
import { createContractRenderer } from '../../src/contracts/renderer/contract-renderer.ts'

const renderer = createContractRenderer()

const identityOf = ({ customerId, acceptedAt }: ContractFacts) => ({ contractId: customerId, acceptedAt })

/** Builds the document for these facts and renders both formats. */
export async function renderContract(facts: ContractFacts): Promise<RenderedContract & { document: ContractDocument }> {
  const document = buildContractDocument(facts)
  return { document, ...(await renderer.render(document, identityOf(facts), documentFormats)) }
}

/** Builds the document for these facts and renders it as HTML only. */
export async function renderHtml(facts: ContractFacts): Promise<{ document: ContractDocument; html: Buffer }> {
  const document = buildContractDocument(facts)
  const { html } = await renderer.render(document, identityOf(facts), ['html'])
  return { document, html }
}
