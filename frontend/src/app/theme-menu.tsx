import { type MantineColorScheme, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { Check, Monitor, Moon, Sun } from 'lucide-react'
import { Button } from '@/ui/button'
import styles from './menu.module.css'

const CHOICES: readonly { scheme: MantineColorScheme; word: string; icon: typeof Sun }[] = [
  { scheme: 'light', word: 'Light', icon: Sun },
  { scheme: 'dark', word: 'Dark', icon: Moon },
  { scheme: 'auto', word: 'As the system', icon: Monitor },
]

export function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const shown = useComputedColorScheme('light')
  return (
    <Menu position="bottom-end" width={168} classNames={{ dropdown: styles.menu, item: styles.item }}>
      <Menu.Target>
        <Button icon={shown === 'dark' ? Sun : Moon} aria-label="Theme" title="Theme" />
      </Menu.Target>
      <Menu.Dropdown>
        {CHOICES.map(({ scheme, word, icon: Icon }) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={scheme === colorScheme}
            leftSection={<Icon size={15} strokeWidth={1.75} aria-hidden />}
            rightSection={
              scheme === colorScheme ? <Check size={14} aria-hidden className={styles.check} /> : null
            }
            onClick={() => setColorScheme(scheme)}
          >
            {word}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
