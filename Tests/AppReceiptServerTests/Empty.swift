#if Server
import AppReceiptServer
#endif
