/** One POST to a receiver, signed and ready. */
export interface WebhookRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  /** From the first look-up of the name to the last byte of the answer. */
  timeoutMs: number
}

/** What became of it. Exactly one of `error` and a complete answer: with an error, `status` is what had come until then. */
export interface WebhookAnswer {
  status: number | null
  /** At most the first 64 KiB; a longer answer is cut off, not refused. */
  body: Buffer
  retryAfter: string | undefined
  /** Why there is no complete answer, in words for the partner; null where there is one. */
  error: string | null
}

/** Reaches receivers by the egress rules (`EgressRules`): only addresses that may be contacted, over TLS, no redirects. */
export interface WebhookSender {
  /** Never rejects for what a receiver or the network does. `signal` abandons the request: then it rejects. */
  send(request: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer>
  close(): Promise<void>
}
