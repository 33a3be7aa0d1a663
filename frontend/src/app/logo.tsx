/** A victim, a neighbor pushing in, the victim cut short. */
export function Logo() {
  return (
    <svg width="20" height="18" viewBox="0 0 20 18" aria-hidden>
      <rect x="0" y="1" width="12" height="4" rx="1" fill="var(--victim)" />
      <rect x="8" y="7" width="12" height="4" rx="1" fill="var(--aggressor)" />
      <rect x="0" y="13" width="7" height="4" rx="1" fill="var(--victim)" />
    </svg>
  )
}
