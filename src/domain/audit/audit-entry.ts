export const auditActors = ['client', 'operator', 'processor', 'worker', 'database'] as const
export const auditActions = ['created', 'changed', 'removed', 'asked', 'exported', 'psr.read'] as const

/** What an entry of the audit log is about. */
export interface AuditSubject {
  subjectType: string
  subjectId: string
  quoteId: string | null
  customerId: string | null
}

/** Who did what, when, by which request: ids and names of fields, never a value. */
export interface AuditEntry extends AuditSubject {
  at: Date
  /** `database`: somebody at the database itself. */
  actor: (typeof auditActors)[number]
  /** The client id, the operator's login on the machine, or the login at the database. */
  credential: string | null
  requestId: string | null
  /** The `operationId`, the command or the worker's task. */
  operation: string | null
  action: (typeof auditActions)[number]
  fields: string[]
}

/** What a look into the log asks for. */
export interface AuditFilter {
  customerId?: string | undefined
  since?: Date | undefined
  /** At most so many, the latest. */
  limit: number
}
