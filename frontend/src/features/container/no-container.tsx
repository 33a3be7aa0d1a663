import { Link } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { Card } from '@/ui/card'
import { StateBox } from '@/ui/state-box'

/** The address names a container that no host ever reported. */
export function NoContainer({ id }: { id: string }) {
  return (
    <Card flush>
      <StateBox
        icon={SearchX}
        title="No such container"
        action={
          <Link to="/containers" className="text-link">
            All containers
          </Link>
        }
      >
        No host has reported a container with the id <code>{id}</code>.
      </StateBox>
    </Card>
  )
}
