import CryptoExtras
import X509
