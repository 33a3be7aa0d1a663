import { useMutation } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '@/lib/api'

export type EnrolmentToken = Schemas['NewEnrolmentToken']

export const TOKEN_TTL_SECONDS = 3_600

/** The answer is shown once and kept nowhere else: it is a secret until a host has used it. */
export function useCreateToken() {
  return useMutation({
    mutationFn: async () => {
      const token = await unwrap<EnrolmentToken>(
        api.POST('/api/v1/enrolment-tokens', { body: { ttl_seconds: TOKEN_TTL_SECONDS } }),
      )
      return { ...token, createdAt: Date.now() }
    },
  })
}
