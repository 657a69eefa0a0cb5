// These private keys are public and protect nothing. They are constants so that test receipts have the same bytes on
// every run and every machine.

extension TestKey {
    /// The root of the standard PKI.
    public static let root = TestKey(
        .rsa,
        insecure: """
            MIIEowIBAAKCAQEAqo5adAZjd5DKsxnR77JJrO4jcDrk+Vo+CmWsz4gjBY4Ff8gfeQC2Q1fgD0LMwCW+sR6AFM77RbBDiuCr928c\
            MfdStguy5JLb00vRekCxhqCHph2HlZwBmDJCLlxpFmrgcn4JBZrjCPv7EZItTSQh4ZgfaVLGvKK8vrSaNzsJZZEXT1x1+crH82xX\
            0WjTe7JRSQbrdQw1lk2n9ijC3aCGtgi3f1bQ0T+9iT+Ah4wxbJm60b5RTXrRHG5Lvsti23/8RG+mzv3qm12QCKxJ68ku2lv6HvwV\
            7BunX7l955gsxMDl1t5NDpfcDRUIedRE6PeVrOJnKc0Fzg5bZ9kY+Hl8XwIDAQABAoIBABTFsVWNNk29zY+CTF5699x/Gm4qS3CP\
            zEY8O4+rvxwyP7rgNu5n/ErNEpBj7IerG9j649Lk90HLEHGDIIlKYoQ2tj+kGB3HlyIFC2vDd6ZJDzcCRLJKJarm1XGhC/l7eyo7\
            7cGy1gY7mPNQZYJjgq7foKpqtvgK1/MKuveRZ05pFPfSzboQz5XyQp41YFcekSRWTdR2uX1rwaJKfC5TBRqJDIZFENFRIGzjaPWh\
            wNpJhc9c9QSuVSdZwXxGuX7BcVCzI3WbCbE34iM1j3Kg0Dk2o9fDeluNFDaxJJBMe6wg0wisB7T7+YNEVUsFOxeHyrghDjfa3hyr\
            +067KhOOx1UCgYEA1zQhVQFG6uQb7YEDnVxBUKq7EWFwLEgM74LWujgwJM5WMRLu91lEkzGP6l2CUgpAsQyf0S1zxNoFSo7+KoxV\
            gUmTE2jtMX1cZBNg33zcbVedWjlwyAMxJqQI7ZnLHOAsUnnjmqKD1Fkv3mfP7EwqdjZfKRarZk98AyGwFZu0pWMCgYEAyuN4D2pC\
            m0JuthvGU44cmCkDVc4UR2Td8JTtz/rLXVwRmQVU1TTt5p7JM50eqAJWIIo/CW4Ij4RWuncQ6sCex5C2dRvX8dRtVM4ozdu+st+7\
            xg5EMIvU/rDGBH616WmhGEoHDIOpd9vn1yqznCDM/JH6xapeNwrp/WZJkr9e69UCgYEAmYuwXJ5UozOuWX87vQMd9xhZ8MS87Ftc\
            H2gTHTsJ3rj59nmz1vfyXbN3I5kkarS2A50mSnFLsKB+NfxgjKskNuLv9WFgG3d+fEj3TX4hKELjGoTxW0QrxY40cJLSwP+RoCcn\
            piVeOhyIcv9O8yJFCaMxsndiQ9VifjmDEWfPNFECgYBhqBWtDc+bneFeRIY0x62Zy/vv/C6kord1SqohNq1Wda9+wSMxMLXmEL31\
            2wXbhqxgI0ruRglW0zNPs2nwJOEIW+6G9ez+WOp7LHRVihUDUk+2qD1IRLY0FXBqz3bOL+q7nz4/VsxmhfHVDpe/acZhN/7F0Bhj\
            VByGvQpi2TxeNQKBgFczKHk+RJXu3v6ShBnitG0/J4lG2TcNPA7M1Ql1LSlv8z254OAl4giCh65pqZaJ2E/8t1YuulbZKs34YeYv\
            VSi0kD3PsW5opxUMxqLe7mEmeu+Fjn4pzykntEv0NIz2b97tT+mzPfX1086sjI4SgY/qHwCWzOxVChitvFbq35kV
            """)

    /// The intermediate of the standard PKI.
    public static let intermediate = TestKey(
        .rsa,
        insecure: """
            MIIEowIBAAKCAQEAzj3uVa9OnyQA4HUJ8OMr4xc7CMyjRcd6B8BCbKo4XJRHQtlqBZ5fNsBuav89Nk92dMHZ/7NEu1Q37oDTTScv\
            HW/Nu5BjB8ecBvL80IiVhoN5yjbtl7fnBbhpBMM0sHRoUbV5DeUL64ISzpE4n+DWuS9tJOvv2EFuvofBY9nVyxpxuhXIY1ZorR+K\
            jUWp+TNkthGgJzgFxyr0s6FJ/udR7q2tjfBE7WZgXCr3twFpbqwtCAE7qnRJr5ujqetykPnI3Z8qiNI8EnylbJSEUnCuwEgggZVW\
            /kgiBDlEv7Iy8r3RZjm4nr5bND+gsMxsGbIgK0EYv+9gBb03EdcelKeHiQIDAQABAoIBAGcQdt6V7T3E4bVJd67L754b+VHj5cHU\
            tgxSjT89b04AgX4MJRnqs10qm+NXatENs74UM6s+/F168Dp9YVrAdqCIwzB0rrBwFW45lpJldweSA1ZEzcXQTqBCsCSDonx9p7YR\
            cI27hRHrXhehZcErvFItu6bESwbwZ/XJ5KBP9zF3v1g8PooE2MOEUIEsBrVDShLPylUlrE+BISfxvp+a6q0mLszntH/0+wd66z7B\
            berwF6/tsgSDJwM0+yPOZgUpwGx1V+At0WlBHLJvmHHt0cBnP+Opvk5Z5XnKPAgKfAX1eWS0FRcW0TYomlhi6xznYUMUoNrkQtDa\
            lhCPyZ1r+eMCgYEA7DpqLxCIiTMRryk9k0iuo7SPJe998xxzM2Rq5CrpioZRD7XGCh6mP38Plsr4Pgk73GoxvSUkJ+NOH91sfrUb\
            GkswYGPRW4tbc8KwhxHKTd3pYp9oa0B6rAdq36nUun8m428bFiwqKIz/buiu8o4GXc8F3PaWA79UACO6tk96XQ8CgYEA34ECmqt2\
            OO2Ofe9IEK0eS1M367xfMlOw+g/S7hfr/Gl6DPgumJg/t1XB+j+mQIaX08SzC700bvYiPzCKjcrKza5ED6J1pE/Ak40teom611Ie\
            BHL/dJZSqItYdlGrnYHE34rK32iSA8DjEgrMEGqnQmnRT27+xnmzbD0agKgXgecCgYBGguEzDzJSEaZTrHGuxuEqCDk6T5Q+vt08\
            F9s4I/711EXZ9J4aYy+ogFq83fTfP45YqnISTUXPii/FnyhFYfWnEY5tFx5kvuIbWZ+rkYnbWEPTplVavjJfqw8hl+XhjRakiIOD\
            SMeEtyF/j4C48d/AnIzZedkpYTDHoeKXjH2vzQKBgQCHGBa34J3T6Rsw2boogkuGYiWx8qlj5Rxa+ceYLJNyfVrNjhG0IIqayVY3\
            adOWuwP4d7N1jAaub03h/fgxnnsY+ZWgEaWkDKStSy9LGwb5cWQ9cjkggmAyChANbG4cBT03lU/s2+suI5/c3vPblGvHA+kFZ2TO\
            GO+vo/tp+rBCzwKBgDpPeZxCPVQEKOMM3lPK4c0kd0GwfTO8XmwWWSb2Xxpzs22jQWDWn6lvM6C/i/JNQVWJJBRmdCL9BaMBpnc1\
            GUo/1+i/u81WOOJel0XplHSHtK0+7qGHaF2lcTTJidfLjmAfl9CceOWIEoLlfEQqMhQoI1aNvgJRvS3KwPEbc58H
            """)

    /// The signer of the standard PKI.
    public static let signer = TestKey(
        .rsa,
        insecure: """
            MIIEogIBAAKCAQEAo9aXzGYUJGJPB909FqnbRvbZ5AQas7d1kPur6fG3QNTn9tdhX7hizhk8z2DLdgdIlPDpwcRLcr0USlqo13FS\
            sEgAiBJTMki5HnOk0bJlSkaDA7fgZ7iu1pZYh6MtkfHJ/KwF9WfVJEjTEYKeJ04cXPpzphD4nUtP3qny9BIPW8O2pw4YZGGib3If\
            euwSL6KIfa7qBLBGvkzRp2c9xwk91nGzWzvs7v35Z1Ux/71eA5DSSqMpTJyJ+KY1sGXuJnKGVLd8TAyc3BzSPGok+AKRlwyHDJpP\
            IUboVb39LnU7yOai59UBKUq37/KuH4RE/uTR9ZLcIWpCTQECCiNVjM4sEQIDAQABAoIBAA1rRV4aq0IqoiX2/yqkyV6317NXCbfY\
            CiNQla1Q3K1M8t3TGLjeEYunYgVrPGbjpFR8oey6ruJMLcYERGl28Oqazx5V/+XxsmXV23VIawbpHRB4JkNgi0Nsp34ehZw7RUuy\
            bD+EHF8/Lrhzrg/ylByib8f1gmNhuH44hbtrYkIl9TqPz6QzkYvgAvTPa0tnoLS+HyctY+ByJCCMSfEFmH+2vuS1sT7ofG/dsE1P\
            Me2NIuWKrLehHt0mD3Q5jau0yUAk76+ywk6LDJ+TZkJ+xoknaHG3yxjJGZbWx1XE97G8u51DmEtCmNhqxFsD8tfWpCJrOjNB1qGt\
            YG9XVLLZT+UCgYEAzi2xG6k8z9ES+CNtZlQRJQQBRGuoM6kF88uBZgEzN2lpoRiASeFGdDDnEfTfDRwxe/EQxctYbrlHwMtfeXz6\
            Z6wAQ7OFdhtjVL+D3hW0z82F5f/E6Y1tEGbbiDpk27CGSv1gEwMri5jKvxSjxmqP+vF0sM4S+RmW0yW4wVCB8R0CgYEAy222ZoYT\
            grN5Bdiy8u1xvU9P3XR5L59wvKf6FrY0AGz++xinAxzlUv/vkNi7avfAatZOtoXK6KtDrCsSpWQdZjZvqr2ilgpI55vsF10cDFt9\
            nE+IIdzbvsdFRFEiAuUTLCuYKP8B5aXg6z/ZN1lrmjGWSdNSPGH/bkC/a/BfCIUCgYAJdCTjzM3CBacmA5HXmFE07ksUlQ8gV0az\
            mAg14iY0CzxRq6ruOEsftsJRm3XCxyEpurL3Lsy+PvagS3L0QhvFNyjH8epTsQvL7gAg5cPlp1nVYvXnc5mln+G/DFZlkGGH/Lg0\
            BvgvLXFWc57S0T4K1plwJfLOwzKcOeWPz541rQKBgC7BhbXkxSE6TOuqFd898fF4BDw7JAttEwVZemKz+BnM84IU9XYCszazeoWJ\
            OvJoBULJBQhwkeWOT5yHvd5jt1oh0uKkeXUQ4hbRwJ7SGLtCYAmIQhq+X4dm16XPHAkcS57QWkW57t6wlJSddTiChffHw+ot9u3H\
            /GSD3ztY4Q7dAoGATyzQQTGgus4OrEN2k0H55lpQbEgMcdXuYf0ZWSa3yxRzh37x9K9fNjFBIuoB7H0nevO2NjCC22+cRHNp/HzE\
            RJd8+0MtnXydaWjOj0JE3J0Cscsrw3L289FB+CxX9jtiDN8an/Lwxu+03o5ptWnCz+8ZmhkH+K0Q8gctT7lIW/M=
            """)

    /// The key of ``TestPKI/xcode``.
    public static let xcode = TestKey(
        .rsa,
        insecure: """
            MIIEpAIBAAKCAQEAhgDsSwrHFMCuxznZllcq67rDRgmSziE4D0RefVHXbeDhsRkNJ5z+ywMOqHVoI4HRcCR5pLIrMrSH6RKvy0y4\
            5IQ+mlrGmLKnYYLB8Hxm43/fwBtfRAnNMIHzWbdCkYUsKGOBMM8Al6PprLrsGTgbphRXWvVwJy3vN8m1BWNKX1wzycZ6TPJjyjvZ\
            Z6qCHhOWHkBW4jZP3xcvHv4EdgcgNyvw1rQk9ylSBc/uJH4727H2HAtDa0BZT41/dcxSmTnGdopKzzbw1Jf2JMiYl4WNHM7dgOB8\
            TPVT2TFSLYQlvt/tBE2/3y+D8b5fZVvwCapqwSK1EwSi3lMLFK9+onQf9QIDAQABAoIBAADemCnrfbu1fVzXFAGc+q8RZOt7K+vw\
            /L1inu9WvNxeaXB9/l8brm6QTEPNETorwTlmTzDBpDSdxcT+JUxfKNL4xbQ4MxIyFJJ2J/6AvCUtQv0q4E0feCigqzzRitnJYK45\
            aRDxQup4+o7vnpESU2GaP6/cKFhkvKjiwu0wRf8E5nzJ381oCDM/gwRPLoUxgx/0t0B693sphnepNT4bk8woE2KDRn4a9bI8XDW2\
            nlv/zmlnBJmpx3csJNj1bt+3pHZUpK4Y6FWuokCN8cj6cXuwIFxE63orZrWBh1EwhtO2+l7o+iKIqbuU9sMO0mecDp2xfLFWZ/Ke\
            IxEfAStboQECgYEAuamATYEEUZyFzwY2l8uLOH2Fj/Gtq+uEIPOgXEgtxnY32Sd2+tSPweuWF2xao0DRlLw+EVJFDLdbng+/rc6M\
            apzfCNA3NDpKcJY1BLlZPxx/jCaofUDkwZiXES6VshEvZNbP2ppD1zAcbxgnzEMwwexZ2P+Xm7nPVwmhlP8BGvUCgYEAuMVOGML/\
            6pQ5avVsyz5/JOidJ3E62vTs01zGT/JcCpm/2B7QMxYjFq6VrSMY3eoXELsyevsa058z0zCag+RnHilezCkWDTdxh9oCSp756RZe\
            CaB737B7zNpFLXM2FGrVp2YFUXjQbKWFcBAM4b9GNAsNjl+E76Z+xrNFHyYN0QECgYAJgG06ijHIY3RNpgnBNv+HApWFSl8S/1ih\
            vxYj4uXE1GQDTwu9xocc64ug40C4Pib7r66VgFpcTj34FuI+aOWyxxh7APzyRVFt9aH8/eddXX4BlDDnSBzs83w3uuSaWlrMlFnK\
            3D5AkwvBe8D9qSqjog7vFhWSOK4tzCZi07IgyQKBgQCfm7COq0OuO0QuJLtKBj6Gf3nhrGoO4iwBmM6mGNFxRsb1xghLWQAOg9k/\
            qmW8rI4oIczFd0wBKjD2abHP5Ok+oLYG3ibyW8Zyd9wq4ZE3y96Hql3XKPiISLQhQriggnj1FafabOZ+M61E1FiMWVInerTHG7QV\
            4Fj7A7jd411kAQKBgQCefFpgBt+xOmg3xkRQVfISADg1JtlxGAvl9OxXa7S+fyC/N7PB/1RXDw/mAWEh2BRVwoH8hlI2kghnBDqR\
            WCpKlH0eQEDrTCQc+kKudWb9VOAlSYa1Zfrb40PAzpQ/zrhcPdKBvvFqOCmlVOErTD5P8Rb9Up3FsFWHH7dpvP9XvQ==
            """)

    /// An impostor's key.
    public static let untrusted = TestKey(
        .rsa,
        insecure: """
            MIIEowIBAAKCAQEAwfLpYRp8YwjwxBIe9uooxiRX6xjxC10VJMVBq91UbsG1xuewOVXVge80arlhCBVI/rNFjWudtbneHK1oQTqk\
            +WSulbAN+YTM2b72IoT/WGE7MBppKM0JKhMEpI4HRqArXJ4L59V29DUijHIq9W0p+fgolOQTyj3VJp7X96OhU4k1xcihAlE3Ispk\
            IOnFsomyPuHRT0qJX1ry0d1Pfq5p4LurAqVTR7/ZrfB+Ze8Esdt41zt/DvJFetk5RE3xz8/MNHOcaXT8W16H/jVONg4zzUOPle2t\
            +3GregQZ276qPjP0wq5XBoYrWVqfyKHw9IUcA5Estlm7ZdqB+wfpbmnvyQIDAQABAoIBAA4JLSWSBqAeKgUZMJ9647eEiCOjRZ0m\
            aod437Sh4GCMPpel9cVjIP/1wTaGCEUkUTOJjXDbcb7l3sf22V17HSxP7SiND1MtmVZFcRz0wLad1sGM78D8UaZMrmCAR3uEz46K\
            K4oRaI8/dyrF1Qu3j5BKYBl3sLeepkR/aK7Aa0ZBvqCWL/xCTmRwD64VohNvQiP+UUhDGm9GqoIPnH53aFB+5KK+ey66spY87BUm\
            NF5q96ISv718nV5ONla3IDeFpx2O85oy3mBc0WTmLmvBRLMLkT3LffQQAfnOyAuJkrS/xfGMNgPiEtmqbahBs+Sm7CsXoL83w4WD\
            4I/5Cti2wrkCgYEA7wOaIAqCWyobz88cKqxFOHzBejcOgw+6hqegH6v7B2Up1U+esHyMQEYbkW9p7adakp3YO39k2HSBliZF1wFD\
            0vizNJ4YhT0hDWnRJjAy+EtjKJQPux7nRBoIcMWcGmjuHWJLJqTNP039e5cvzfGXuCpqm13kGQEUgj35YPdl7HUCgYEAz7tvhe/L\
            ekLpIx1ZMDO01PuBWPYnmh9QAnn0k68LuDO78nPEvnRFOTACyb+n1OniPhqsNGz6wy8d8mTsGo5SePcyvsu9l2Rz4ceFRX0B75Kq\
            sIoN5KLFLon7CelYrYVFsitrY9V8yftDjqay2ug4E2VdYVeRfbqQpfmoSPK224UCgYAksjrhnHtzH73xY+0BKD3gdFcIOpfBy5Jp\
            xiaxdigudHu9wmGs2xJ1c84bwC1VTZJ8XDusttx21zxmHy4t2oXdSE3LUFKXclE2y/5OjKvmrzxkKIdZxV7gd9a/6bcT3vRgEo1T\
            O44/n+vBI+81AVi379s6S2oP5LiPXpCBMLq3WQKBgEZcYFvnau5Qd5MTP8BZ4yg4wAkX5zYG4RzVngffxIJx03k9ySgRTdke7/LR\
            3dD6H02Vzzo6p30xGl2d3XLpPfoHEMMbU25R8gZJhFSTEPLKpNIDEM2ebFdlGQi0ZvrvJzpABrHb/9aSKsHIqNAI0+WN8eEkvfzu\
            EkyFkYCT5WfZAoGBAKtflu5TeoAgYNVB6F6f7AiJQet2+szO1ObjJfZS6s+d/jb3cH9ts12tpamnGh3o2dlwjTH+4jlUpL/f+NvW\
            8kYF0VUOTsjroK45X0mNum2IrQyFXW0Z20irTjMTeY/fkbyeXo9NgPiHN7ie7S8BE6FofdDTShke0P6d3UVImC+Z
            """)

    /// A developer's key, for certificates that chain to the same root.
    public static let developer = TestKey(
        .rsa,
        insecure: """
            MIIEpAIBAAKCAQEA7BrSAGWs5+8w1H/6WrhGUdHKFMq0MdJ962ecPZ5OGt7D8WULPf+oz+ryOiGQO7xlaMuj34SZV+n5q3H/Cbtf\
            fpF9G2L6Xotp5x1Uvrv31vawcuG/tGeWU578ExgKeTTYT5z7RtaJhgI5B/Ph9WYYwtsHj7KYlU1VB9/CkgLdc32rZ5VlC+l4vdrD\
            5CqE34Q987tfOEGyigILnEJzMauKEQX2qokKQ6nOXIbyHIHJu1LdmqdPC7Xk7v8zRk/U1oNbWRLnj+gGdC1qRZEq8cXDYlVOM1HT\
            NWst6dyUb8Gc4CdPSOv1uScEBVCNg3TQS8keEnmGvAyn8HaWYSEOB3qu0wIDAQABAoIBACHlLc3JyvtXDuMK5mWcu9emLwUyHpFi\
            fxpK+xargdoArg+bKnSBnfoPaCvpQpwYzVQwm/uMPTluSR4QVQVQJYL1nwjN+lSVXiRERTTGpmtxad5sQ0nCb0Xc9qJFGsfQytcP\
            GdHPHdojuo1GOWOx/w8GQ70g7h/NBM6HFJdCmwkntFlqmmqf0yix+sU0TFIJ/cwlrS2qc7YcVzMXU0PAOdEY1frY1rLQgWHZFXH5\
            sqEsby3EL743UQkcVNrEGL0y6U9n3i7UPFTFN2X2wqQ7YJ7qFVIn06H/whu6wBxH9j60OLytjbSrnV7g5Om0+FMidaXIEWqf9VAo\
            6Yn+tQrygk0CgYEA+VrKl3mnWau2Rh2LP5H+gwmYISpcWsvtJRljMspWeN9oqrAyTZcgAXaXu8nyJviT6i+ZfM9PUAqrcUg7llPf\
            r5f6WewuwxF6lVwd1grk+Pr7Z07b5r15n50wl3up8wcyK90Tdui+sl8mXLENC5WIu+pa6bOwSw0iRpP7BgyLQOUCgYEA8mWh3vcv\
            ZMDyIKkAuHwcLPIR5rBmk8rCg/JnI7ITrljDwVdAGPbXelzCS4fYzJJPtYZcwWxUGXxIKuHZweIPCgNDsQGnIytd64gavB7/PfRK\
            X16LnYnnnxoGejmR3D+bKIoUwPs592+2Jev4x74wXO0Kwjx/WxpCUiTWfzisDVcCgYEA0CgHmT24AzZB2fRNywqf8VmwAnevUyiL\
            Vf4EfmDEoPC3Gk4uH/F5iV8ruVsS5495QvTrZ3JUHlhZ2B5Zh9uKjrYLCsgMHVFZCJg2W/kKPgKenhYJomwnvKPm7X4RWEx4iH9s\
            AUa38oVVq+ktH697zosLy63yDCTxqQNdeSY9lTUCgYBVr6WkCt8/D5HIB9YQYRcYsE2xrcPlFLTkLclV7fpVFF3Gt9AZwxBy2d15\
            E8GIt2Pj+GZLnb6w76UXO5Vdm0rTsEm6haoOnaLqwsconxB9VyD/S42xF/G/5VRK2pT8NaPklcM2YNih5mSOTTc5bLrt7oFyHi6r\
            BsJRBWKpwF/ZqwKBgQDH8XdKftlYNFO3StUk2WWJIcxX5Z+ONm54Eex1LkvaXkruXwHiWeWW4JQFH1MSWMBEqE43xCL4fpGWBE82\
            T14TY/+VoJ6BC7fdPrK0Bverit/gxN1h42LFzR4TouP9JS1umhcszPwJbyuCyGCI8sw1Zs6hzq65hZLwdiSXi3WHQw==
            """)

    /// A 4096-bit RSA key.
    public static let large = TestKey(
        .rsa,
        insecure: """
            MIIJKAIBAAKCAgEAnXaEdEBD89FuVfCmfTbHJXavZX8CFP/EEAzhSTI4QZ7uLR40HsT6VOTN008ZKW+EO1b3tQOYCUnvuKaN+GbN\
            Io5zHAdV3FnZzYpfHxiu0F3WDENnABBxLd4KLAdIDj0u0ADE0FnhVzHoPGJqjfTQ4BR3jaCTJ+TS9K5cgP94pxdGoOnU30QtvEfM\
            tvmc4UzC+Dp12rkPlDqOut9plQUxdtx3RbtYoxzh1L5qKLwXSkdD5rv/CFOC/vGEPqHyPpLp58bSytB8805Xl0Wrr0gAo80iXAcj\
            VTO+UYbBWeVpAuDdEDYecFU3yW9aQ50Ka9OZpYTipG4b9vGB91N8Of/wjbo8j6wKr1Be0WpBJDAuJ8jc8YwD4cc6zXZcrpfqU0Af\
            ZYbiApPCrM7cC4nGRfzdZSqKPAiTsYLHS9S+CI1Q4htXE6EygDFrV2AeNYVFSno/A++EyGYBTrOUqJ61+TVKU9GyNnfRp3v7w8lA\
            ZPN6EjDn6U7ZZa6IrGOoNaM2XjNKGths+jDF536NwNywExCL61Hu/yBn0+PT0tmJZzNBRdPL16j8g2iBS7OzaerKjIEI1K9ZSIdm\
            N3qV0sg0GoDpezumQn8Nsz3KW8kWt1IXhWWmmE9RV8dDvBYSLgo85/WvybyPvcTAomujQam0buUATNXvzyPXhgybICY1xwlLrVcC\
            AwEAAQKCAgABb7crRPokYL40FtMQpFhyYoqcuekKc6orB/sMIGL7/Oz+SLQVWHBSKEN/uyJ8dXHMMBxoBdA0EX0YKZ4flyHQQA1p\
            GDYJIbayFcziqzvOVx916C1/MNHffGg1A5yoKJhjObE8l1KjaXyirwvQH1zCa91f/jLUHoBqzqZgX4mPDfrNH/pFo8kTr8dRyfrL\
            jALhTHiOa2QVfZKXaM9SloQKKgkFKqgsgL3HTjSzX2009mvLpd5gieZ8LeF/csRoxrf52cn1eKu9ynKpGhpuqbumbYoeiHV4OFXI\
            R5rpl4VQNeiTq8gLop4KKTO2bIR6UalT+wotkXrm00gqDz8RsQsq3s8CrUvVyv35mn8zAaGbYlWIc5OeRtW6SpvXx3WHfIKrDUsJ\
            v76biRFHzrCWOcadNqCKQHaHqy1t/VYhq+E0CrQYaJKQMjJENyDm2o4j16niO7mjiRAkt+5N6IbPgFJZqwFIqYN4JuNHAC/re4Pk\
            LRELOB2DUexbJFi3+JYT7vl2QUcFWbasaGt4SZUphkBplJVZBue5zlWsNHpsgoTVIV5/vv+M4iaL3ywL73Fui9A+DPhBe0BY925w\
            kpO41bb3GNxCSj7aPLFbtJNGgZ8xgBUIUvjy5s+UEgaCazGsAeM5jhVnLKdoC0sDGTsC9lkTJARsaS8on5jfFrp0Toak3QKCAQEA\
            zziSeiWz05Mwg6NOex3s9z4ninwJjP12stvviRfaQmYWGZaoW6F/yTYnZmrKSYSzyueK4Jb9RTPdGrKIkH/CM5iea4T0z4DO7PPT\
            LLFszR8YMLVwX4wyFsgh43z3KnZc+o2lpugLl1MnxMlWyYLO5meCxpngJuW4fjvZ+kutHfOFkOhV99WP9YERCpfLI5ac/YkpwKB9\
            GD7wgDgxN0xdZevthRVICPRxdWlDyHNjDpxqj2OLd2Eu8XYHQKInNgNZU5N5awX6yfWjNDTSxgDgSwRiVxtGtQS8Nw3G/Yawt+TM\
            X3+SjWz438jZc2xWOEf6L/BSuIV2sCiYGAStJp+NXQKCAQEAwod05E+2QyhLstDcs996bwYmz1QX+ty5CYeTCWin71ADuJ8MzkeY\
            W3DYqROUYbKfSQu6N/7udcW/VLh+oHKqeNl1bFvIk79khmKPHNg1r8+s0qJFGO/RJNFyv8SX7nyc+kbk1SNrERSRHPqD80evXIj8\
            MiY2n4qEQoxEQ1aFhqU0ZpaSWeantscn+7l1EU/fo28QbjrLdRd43100uV2dDHjhSqweKzIP0bODxkKcvs6tHuahFTtAcNPbXcO7\
            cBiruRpbhnHaedtCWhUsCAq+0lKsuaWHAQ4FG6WBgwCje3+4XEvLRaMnWwNGx2YPYrHVSQxc+IeY/lBorooC/AeGQwKCAQB/Yhhx\
            LAIaeq3lDhuthVzpM/UcpVk9qYYxNxBN5zLNhHHrcvi1s1aZe0fHJriJbyETBzkRDOBOjS5LPhrDMTZRf21LTSUs9dK+SLi1DbCD\
            e6zkLHUS11znMknazTQnjzFi+HYvXw/ZC040I0zNfTLw4gq7SVZIswix2NsLiT+3XL7rsFdAjbD8S0YNi/hdPTXuiUX4Wu/rWq1/\
            NIvUoYX8pIaTO9zXXGTutzHq5DutfKvoz1mpnj08Q8D7k3KlOnPL86k9CCT9x5l2+03iWCGJG/3T7DmQB4QoF7kOmqDBus2Dmymc\
            9LMc5hv+X0e1O1Hp7EL9mVW3voyYny9NweElAoIBAFxBc41nxG+7J5NpfJIN1Xnb+AHxxuGhVlwPoQsgSCy1zN39CEy4JaiQLyCY\
            eZGP7fztg+ZUj/Do1KGwUdV0LCbeMtMuAEUZyun0yhyK6YM0waivboeyDIUilAIgkVF4ZdZIUvRGNNvH3j5ZDMUO5TrEeJ6sAtHN\
            FoadES7CVNcTeHOCy2u5eSa08uBuBvgr4ksXPDqaxa0Fcby07nFO1VF57pbEZBZmSpxQP5mCM+ZGDFKQXCq+jAQ2ZV3lmvpBqQdD\
            Wc68JjoOYzxnuBckSXVj4ii1OP6mEIQZDP/9CItkeiHDjGa9RsfiGOouG/PZlOZs55aycDuEFPFZ4Kp4QxMCggEBAIgvGBs25HEs\
            2ctITD3aYX2NvqbG7kNO54md6TmfLaLaqxpKBGBUypkfwh2zl83dHn7nSlmUZmkaRY9/krRtseevxTrJa0mwuo8AS7R0yr6jY91h\
            gBEzLatGaaON73ytDJH/+WJoffcmgQHkz8AJPegCzuusptgx7XrRSfksLwMMtBmt66cz14H0zFgPNReNDYhmhVkzpTuZa6MBdjTx\
            wJb1LR8LfIu3pE+uVt6PsMxveVekEwZy20BWjgmo3ZwS3Nm2N+L4tbFUW/9JTosSGNRp9Cci2D9hrzOlhXHH418U01nNeBhwPxHp\
            DpmslOO4DKxXDQMYHmDO21VJVwZ0ET0=
            """)

    /// A P-384 key for roots and intermediates.
    public static let ellipticRoot = TestKey(
        .p384,
        insecure: """
            MIGkAgEBBDA/bs9+83tpBnmXwBSMPPSss1CbHCgBorsplTGz5KhR5XHr6LvHTrxweXc+0zq4SUqgBwYFK4EEACKhZANiAAT6r34/\
            oZoDFplOPoqV059qhlNh7CnJ/f5BhHhA8cLsnf0N9JumY6EWqdZa5zhu9PPONGjzjUg5xOF2XQwkk/V79iC8hr6Y6TYf9PrGw4K3\
            lZMSURPgsUuRBH6SqiNhk0M=
            """)

    /// A P-384 key for intermediates.
    public static let ellipticIntermediate = TestKey(
        .p384,
        insecure: """
            MIGkAgEBBDA16nTa/oAwrbymoz7rcJc4xw2Wxw8rPKV7thKXGgnbHgs1+QUVnknvBOlGybEFa9SgBwYFK4EEACKhZANiAARuSCfh\
            OZDrB+Zlv6Gggxvr43HHexn6Xo1ZCe9jraM8+eazZAho//VG+0RhgFnZ5DEKbm1J2zs9zrDT0ydo3qtmimBcihfURI1W3HPhvJwN\
            QUhV7OFBIRtrxdUua4Ti6d8=
            """)

    /// A P-256 key for signers.
    public static let ellipticSigner = TestKey(
        .p256,
        insecure: """
            MHcCAQEEIADm/WZNmecyZWBUGo/vRRWor6WbbyNt7N0eOTDykrVjoAoGCCqGSM49AwEHoUQDQgAEUdXVit4clk60RKxyNLY9SR0S\
            EToPBG8kP9TZffSrtpQ4hxRcJgQFGjH5IgeePf9/vXwBc3fg9iyzJYG1Djk20w==
            """)

    /// A P-256 key for an impostor's signer.
    public static let foreignSigner = TestKey(
        .p256,
        insecure: """
            MHcCAQEEIGKA4PJy4LXu0nRjHazOAQYlPlmDL1EczqZScaTRz8QQoAoGCCqGSM49AwEHoUQDQgAEtDU+fiUc2wnGOvQh69vPh4S2\
            Ltm13o+DZhcLucRekd6hniJ3Q+H2ALXuPJJjs50CA0YprvuP5FhnQplaA+SJ7g==
            """)

    /// The key of `TestAppStoreServerKey.standard` in AppStoreServerTesting.
    public static let appStoreServer = TestKey(
        .p256,
        insecure: """
            MHcCAQEEIHcbFAVlK5D8rTkO7Er7MXVj02JbUfUmk390kMZjVIwGoAoGCCqGSM49AwEHoUQDQgAEiy4qUkv2LGvy4bQgMxzDMv8C\
            VSGmTltqJyaLaxI89zW9McpI5N5uUNn8y97HcggLGCd6u36l/xei3X1snCasvQ==
            """)

    /// A 1024-bit RSA key, which verifiers must reject.
    public static let weak = TestKey(
        .rsa,
        insecure: """
            MIICXAIBAAKBgQC3fGHyYEJmU5O/aKFOgssmVOBkUHUzBnV0cknk429wsVmU9uIk5MnUB4i5Pxk4j2RA6P8LMVRbVrP3VY6YqPFQ\
            j3g2brS3MBi+IjwV2d+qIdB1WxuH2t0YzlhfHxLS922SJMuJ3IczWCxW5Vyn/8mNKnsGpCFYlM8fBNvvquG5gQIDAQABAoGBAJFP\
            Cs6FFvCsjZyPQvfHMxUHMLGg2j/vhIMUo5qF11Ja0UPchNmM6p1k3g0+gD2/qTiSjLCTf2facSmV8xjI6ll3W4802wce2VIJ6enA\
            H9gWXY6FgejcWOi2UIjKYHO1dAfE4ZMWUN+hcwFkb0VfaGDilyhVblKX0fsRmhCfebE1AkEA5vx5pw2bJb9aLh1KBnT2AivUeT3j\
            RxPVoNrLrxbI7Vm8Jjni6UF3eN+LriKlwYN/iI6PHOiGu/fDDZRq69Hk1wJBAMtbE6dFHIO5pKbQYGWCNfCwD/2g5xSaiCwE+gDs\
            hC122+nvS5Jp6e4YIC4khNoFwI2RM6tanerVAcrpQgq6sWcCQAgMzICR7NJH9PCefLH06Y3x0RnYmk8j1dIhTe/wL1h2RCRg6BOR\
            AITp5YhQFM7FsnAj58DuKaPrYpTak09cpUkCQDeTiZiCa9uYReaNNnsnjgRcqdIgQmdAII0fQxAzk6A1Rr71dkrqhVNb5peVxXUs\
            c0Z9c4iWOGhwlI/XFgSGp2sCQB6BWK8TG0/rvXnyVuXraVfmBoJIxM2/sCpeaVpENfGdRCdlbJEOWCux4xGE8yY240CC0UndoFBN\
            HnlOdVrW2xU=
            """)

    /// A 1024-bit RSA key for signers of transaction receipts of version 2.
    public static let transactionSigner = TestKey(
        .rsa,
        insecure: """
            MIICXQIBAAKBgQDIVnu9M0QAlc/MUluQonENxhsDl4GW3rJOaO4+1MqnbiCoR89rj3pG6Dy8CLWxYtPH1hnQVRQ3tXw/Zc7bMPKY\
            RklO395Ut/WFsioQIUlRMztP7AAipxKMyLlCoY2jAKeTLUkaAPCrvNG3nx+hmHwPjP0YzI6YbyoZrgklvwbm2QIDAQABAoGAHeJI\
            swBitHOke6YNYpXYp2VVwkNnYUn27xtX7qdvU2pqFLAhkLnmU41xAduKvtsvHDAjyZ/nVCgOUKavJKM4jJrfB3esDF/UEsY096vp\
            zce4nApJJK7JdjXJKQhA9eatWgS91R6hiOjGZRSshqs5yjTeKryazHdIgGjo1tJDwcECQQDjZryQEIltISqroEJyxFSeMeqTOJ5W\
            fqo/5Ei4yqvwc0Ns/X5F7fvO51bE2Kc5Lq+QoOPnqogyMd+TiPwo5w6PAkEA4Yhtrz2OpbzTAU7INjtpDzaMPJJVLkT8HMAO0ksv\
            Ad+ohW6Le5HIYSebOIHCBnchl5WeMkIY+3pUdm9o+z3oFwJAL8Iv8AHJGwZQM+NgkUHyk5bgMTM+7eOEVg7XxxeprMJIcud6Ua19\
            qSKk8oqd9EB91t4zf0Atgn0++3lVnDGKuQJBALIDDRAUdlM7BxExLbYgjnwDgg0NM06iBJxsu0YhMak477rh1hZiqtaEfG/Ne2e/\
            ADS1U3g306AqniAdL6+e3WECQQDjRJe5Evh7p4IA326mJcvfhAsKS2rjomQEl7fMN0pcW/pT+Hak+0tmJ9AS5hPJf+F1J5ynF+ms\
            wP8lGqYX/jbm
            """)

    /// A 2048-bit RSA key with the public exponent 3, with which lenient padding checks accept forgeries.
    public static let exponentThree = TestKey(
        .rsa,
        insecure: """
            MIIEpAIBAAKCAQEA0W54z+uNjukjnhpLDFF+C+C8cHUZU8Yi7QoTIzntGIgH/JsEqpufxUpUfqzNlD7cnsMaki++mI6BVouPHJxl\
            QtjuoLNS7uXZ8223uSeNsLUUkzBhIAgpQjMZV9tf9yAJa0IKlq6MHZ4E85wRMwKpPZVpuDodf/gAJLbCmJ+BMdE4vXBPOwv+QNYd\
            8e96m9ApLDNqd27Kcg52Mr5uZ8GjU63Upm2eLZuZOUtrKRtqUWJPXzbma2Bmrm5Gcn4SaW++RpfUwLmD8IH3fAm+AFM1VUHNNxQc\
            8Rxx+QJ6hWQSW2P8j9cRJqUkFQ9UGjUarucXQQ92Xpm7pPp4CNj+7P3LPwIBAwKCAQEAi577NUeztJttFBGHXYupXUB9oE4Q4oQX\
            SLFiF3vzZbAFUxIDHGe/2Nw4VHMzuCnoaddnDB/UZbRWObJfaGhDgeX0ayI3Se6RTPPP0MUJIHi4YiBAwAVw1sy7j+eVT2qw8iwH\
            Dx8IE76t971gzKxw07jxJXwTqqVVbc8sZb+rdopGLMDOUqbHiJAIlBbi9jNiOXLDiqaL2/HiwagcRBiNjoggmaYGLljSh99sf+ti\
            P4C/Li0ZcDe4szougevzayzrvbdscUsJf75QdyWgSQXito/hgnwy1onZ/jxF6FoLSxBw2oOIRqbX7JWTZGwGiQmPRp4Q8gVGDMO+\
            mIqO+DKXewKBgQDxJKCBN8005qqrKqrBdQs8GZwFWzrG3Fw09k4z+vDFDcLXN7hytGq/UWwwJ23q1gXqjnCLHsQ0vb3xoszdiGiU\
            5j+xcvVssaCXrgVV4wflll5eSUCza/mcUURNH8+Okj9E1B/+4hGLyoahcUDLfJB5cvZ7SEKb+dAN4dmFDNMTuwKBgQDeVa6Yh0Se\
            DVNl6SJktXfZvGs/zDoxy8dtGfQQBqwJ8B7MiDwiM6ueHBAYQcxsHBtGC4K1JEic49kPDM9HwEPHw8UAo9OI/0PnG0v3r8J7rQuc\
            qhkdQ1QOqmPEiQ1y2IwOc/HF2plUZ6hVklJFZMhG5Cvhq082mATMQi+ja97UTQKBgQCgwxWreojN7xxyHHHWTgd9ZmgDkicvPZLN\
            +Yl3/KCDXoHkz9BMeEcqNkggGklHOVlHCaBcvy14fn6hFzM+WvBjRCp2TKOdy8BlHq45QgVDuZQ+24B3nVES4NgzaopfDCot4r//\
            QWEH3FnA9isyUwr7ofmnhYG9UTVelpEDXeINJwKBgQCUOR8QWi2+s4zum2xDI6U70vIqiCbL3S+eEU1gBHKxSr8zBX1sInJpaAq6\
            1ohIErzZXQHOGDBol+YKCIov1YKFLS4AbTewqi1EvN1PyoGnyLJocWYTgjgJxu0tsLOh5bK0TUvZPGY4RRrjtuGDmIWEmB1BHN95\
            uq3dgXUXnT84MwKBgQC4dmDWxUmt16Tgn0H1kOYUhKjitbjhB6EGabsSSE2JDIUBKBnV4Q6mZyJswvNd2KtSDsyVJv0XVr3euSXf\
            fYB9Be4mbdcHuIhBZ2CHRPVxrF+6wxKvKfy/gXD3Ycf68v15tskH8WXUqquvkQbBQKv086lLcn62xuYhJJagr6lZRQ==
            """)
}
