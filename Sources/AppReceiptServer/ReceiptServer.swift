#if Server
import GRDB
import Hummingbird
#endif
