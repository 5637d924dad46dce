/** Who makes a transaction's changes, as the audit log records it. Contains no personal data. */
export interface Origin {
  actor: 'client' | 'operator' | 'processor' | 'worker' | 'link'
  /** The client id of a partner's program, or the operator's login name. */
  credential?: string
  requestId?: string
  /** The `operationId` of a request, or the name of a command or a worker task. */
  operation?: string
}

/** The partner and origin that a transaction has from beginning to end. */
export interface Access {
  /** A proof of the partner (empty unless the access is for a single one) and the origin, valid for at least 40 more seconds. */
  prove(): string
}
