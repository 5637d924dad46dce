import { createContractRenderer } from '../../src/adapters/document-renderer/contract-renderer.ts'
import { buildContractDocument } from '../../src/domain/contracts/build-document.ts'
import type { ContractFacts } from '../../src/domain/contracts/contract-facts.ts'
import type { ContractDocument } from '../../src/domain/contracts/document.ts'
import { documentFormats } from '../../src/domain/contracts/document-format.ts'
import type { RenderedContract } from '../../src/domain/contracts/document-renderer.ts'

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
