import { useRouter } from '@tanstack/react-router'
import { CircleAlert, RotateCw } from 'lucide-react'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { StateBox } from '@/ui/state-box'

/** A page that broke while drawing. The frame stays, so that the other pages can be reached. */
export function PageFailed({ error }: { error: unknown }) {
  const router = useRouter()
  return (
    <Card>
      <StateBox
        icon={CircleAlert}
        tone="err"
        title="This page could not be drawn"
        action={
          <Button icon={RotateCw} onClick={() => void router.invalidate()}>
            Draw again
          </Button>
        }
      >
        <p>{error instanceof Error ? error.message : String(error)}</p>
      </StateBox>
    </Card>
  )
}

export function NotFound() {
  return (
    <Card>
      <StateBox
        title="No such page"
        action={
          <a className="text-link" href="/">
            Overview
          </a>
        }
      >
        <p>{window.location.pathname}</p>
      </StateBox>
    </Card>
  )
}
