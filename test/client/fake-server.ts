import { HousebillClient, type HousebillClientOptions } from '../../clients/typescript/src/entry.ts'

/** A request that the client made. */
export interface MadeRequest {
  method: string
  url: URL
  headers: Headers
  body: unknown
}

/** What a fake server does with a request: a response, or an error to throw. */
export type Reply = Response | Error

/** A client whose requests go to `answer`, with everything it did. */
export interface ClientOfFake {
  client: HousebillClient
  /** The requests without those for a token. */
  requests: MadeRequest[]
  tokenRequests: MadeRequest[]
  /** The pauses before retries, in milliseconds. */
  pauses: number[]
}

/** The body of a problem document. */
export function problem(code: string, status: number, headers: Record<string, string> = {}): Response {
  const body = {
    type: `https://bills.example/docs/errors/${code}`,
    title: 'Rejected',
    status,
    detail: 'Why.',
    code,
    requestId: 'req-1',
  }
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
  })
}

/**
 * A client of a server that exists in this process only. `answer` gets the requests other than those for a token,
 * counted from 1.
 */
export function clientOfFake(
  answer: (request: MadeRequest, count: number) => Reply | Promise<Reply>,
  options: Partial<HousebillClientOptions> = {},
): ClientOfFake {
  const requests: MadeRequest[] = []
  const tokenRequests: MadeRequest[] = []
  const pauses: number[] = []
  const client = new HousebillClient({
    baseUrl: 'https://bills.example/',
    clientId: 'sb_1',
    clientSecret: 'secret',
    pause: async (milliseconds) => void pauses.push(milliseconds),
    fetch: async (input, init) => {
      const { method = 'GET', body } = init ?? {}
      const request: MadeRequest = {
        method,
        url: new URL(String(input)),
        headers: new Headers(init?.headers),
        body: typeof body === 'string' ? JSON.parse(body) : undefined,
      }
      if (request.url.pathname === '/partner-api/Auth/token') {
        tokenRequests.push(request)
        const token = {
          access_token: `token-${tokenRequests.length}`,
          token_type: 'Bearer',
          expires_in: 86_400,
          scope: '',
        }
        return Response.json(token)
      }
      requests.push(request)
      const reply = await answer(request, requests.length)
      if (reply instanceof Error) throw reply
      return reply
    },
    ...options,
  } as HousebillClientOptions)
  return { client, requests, tokenRequests, pauses }
}
