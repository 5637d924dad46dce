/** One POST to a receiver, signed and ready. */
export interface WebhookRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  /** The time limit from the lookup of the name to the last byte of the response. */
  timeoutMs: number
}

/**
 * The response, complete unless there is an `error`. With an error, `status` is null unless the status had already
 * arrived.
 */
export interface WebhookResponse {
  status: number | null
  /** At most the first 64 KiB; a longer response is cut off, not rejected. */
  body: Buffer
  retryAfter: string | undefined
  /** Tells the partner why the response is missing or incomplete; null if it is complete. */
  error: string | null
}

/** Sends to receivers under the egress rules (`EgressRules`): permitted addresses only, over TLS, no redirects. */
export interface WebhookSender {
  /** Never rejects because of the receiver or the network. Rejects if `signal` aborts. */
  send(request: WebhookRequest, signal: AbortSignal): Promise<WebhookResponse>
  close(): Promise<void>
}
