import type { Call } from '../../clients/typescript/src/call.ts'
import { searchOf } from '../../clients/typescript/src/exchange.ts'
import { Operations } from '../../clients/typescript/src/operations.ts'
import type { Partner } from './client.ts'
import { succeeded } from './responses.ts'

/**
 * The methods of the TypeScript client over a test's partner. Each call has to succeed, and its response to fit the API
 * document.
 */
export class PartnerOperations extends Operations {
  readonly #partner: Pick<Partner, 'send'>

  constructor(partner: Pick<Partner, 'send'>) {
    super()
    this.#partner = partner
  }

  protected async send<Response>({ method, path, query, body }: Call): Promise<Response> {
    const response = await this.#partner.send(method, `${path.replace('/partner-api', '')}${searchOf(query)}`, body)
    // Safe: the response was checked against the schema that the client's types are made from.
    return succeeded(response) as Response
  }
}
