/** For `from`: all attempts, the latest of each delivery from its own row and those before it. */
export const everyAttempt = `(
  select delivery_id, attempt_number, partner_id, started_at, duration_ms, request_headers, response_status, response_body, error
  from earlier_attempts
  union all
  select delivery_id, attempt_count, partner_id, last_started_at, last_duration_ms, last_request_headers, last_response_status,
    last_response_body, last_error
  from deliveries where attempt_count > 0
)`
