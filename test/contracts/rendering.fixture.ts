import { buildContractDocument } from '../../src/contracts/build-document.ts'
import type { ContractFacts } from '../../src/contracts/contract-facts.ts'
import type { ContractDocument } from '../../src/contracts/document.ts'
import { documentFormats, type RenderedContract } from '../../src/contracts/document-renderer.ts'
import { createContractRenderer } from '../../src/contracts/renderer/contract-renderer.ts'

const renderer = createContractRenderer()

/** Builds the document for these facts and renders both formats. */
export async function renderContract(facts: ContractFacts): Promise<RenderedContract & { document: ContractDocument }> {
  const document = buildContractDocument(facts)
  return {
    document,
    ...(await renderer.render(
      document,
      { contractId: facts.customerId, acceptedAt: facts.acceptedAt },
      documentFormats,
    )),
  }
}
