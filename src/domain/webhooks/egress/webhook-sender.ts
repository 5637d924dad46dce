/** One POST to a receiver, signed and ready. */
export interface WebhookRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  /** From the lookup of the name to the last byte of the response. */
  timeoutMs: number
}

/** The response, complete unless there is an `error`. With an error, `status` is what had arrived until then. */
export interface WebhookResponse {
  status: number | null
  /** At most the first 64 KiB; a longer response is cut off, not rejected. */
  body: Buffer
  retryAfter: string | undefined
  /** Why the response is missing or incomplete, in words for the partner; null if it is complete. */
  error: string | null
}

/** Sends to receivers under the egress rules (`EgressRules`): permitted addresses only, over TLS, no redirects. */
export interface WebhookSender {
  /** Never rejects because of the receiver or the network. Rejects if `signal` aborts. */
  send(request: WebhookRequest, signal: AbortSignal): Promise<WebhookResponse>
  close(): Promise<void>
}
